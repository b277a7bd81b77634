package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Elections in a bucket of NATS JetStream: one key per election, each renewed separately. Every write names the
 * revision that it replaces.
 *
 * <table>
 * <caption>What each call writes, and when</caption>
 * <tr><th>verb</th><th>if the last message of the key is</th><th>then</th></tr>
 * <tr><td>acquire</td><td>none, or the marker seen</td><td>the record. If another program deleted the key, a marker
 * first: when a deletion expires, the server may erase the record that was just written over it</td></tr>
 * <tr><td>update</td><td>the one seen</td><td>the record; its time to live starts again</td></tr>
 * <tr><td>release</td><td>the one seen</td><td>a marker, so that each vacancy has a different revision</td></tr>
 * <tr><td>erase</td><td>the marker seen</td><td>another marker, which is then purged</td></tr>
 * </table>
 *
 * <p>Every write of a record renews it, so it answers with a grant. The fencing token is the revision of the
 * write that acquired.
 *
 * <p>Outcomes:
 *
 * <ul>
 *   <li><b>Written or refused</b>: the leader of the bucket answered.
 *   <li><b>Setup</b>: credentials, rights, limits, TLS, or an unusable bucket or server. Nothing was written.
 *   <li><b>Unknown</b>: everything else. A write that a paused server has received may land when it wakes up.
 * </ul>
 *
 * <p><em>Threads:</em> all methods return at once; answers come on a thread of the connection. Thread-safe.
 */
final class NatsElectionStore implements ElectionStore, Diagnosable {
    private static final Duration FIRST = Duration.ofSeconds(3);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Pauses of up to 64 ms; the leader of three servers usually needs 1 or 2 ms. */
    private static final int DOUBLINGS_MAX = 6;

    private final Link link;
    private final Wire wire;
    private final Listing listing;
    private final Records records;
    private final Bundle renewals;
    private final Set<NatsWatch> watches = ConcurrentHashMap.newKeySet();
    private final StoreTraits traits;

    private NatsElectionStore(NatsSettings settings, Link link) {
        this.link = link;
        this.wire = new Wire(link);
        this.records = new Records(settings.keys());
        this.renewals = new Bundle(link.threads(), link.cork(), System::nanoTime);
        this.listing = new Listing(wire, records);
        Link.@Nullable Session session = link.session();
        this.traits = session == null ? Traits.unseen(settings) : Traits.of(settings, session.bucket());
    }

    /**
     * Connects and examines the bucket, for three seconds at most.
     *
     * @throws StoreSetupException if the setup has to change
     */
    static NatsElectionStore open(NatsSettings settings) {
        Link link = new Link(settings);
        try {
            link.start();
            link.awaitFirst(CallContext.within(FIRST));
            return new NatsElectionStore(settings, link);
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    private String path(RecordKey key) {
        String path = records.keys().path(key);
        if (records.keys().widens(path)) {
            watches.forEach(NatsWatch::widen);
        }
        return path;
    }

    /** Calls with the bucket as last examined; without a connection, returns a failed stage. */
    private <T> CompletionStage<T> with(Function<Bucket, CompletionStage<T>> call) {
        Link.@Nullable Session session = link.session();
        return session == null ? CompletableFuture.failedStage(link.why()) : call.apply(session.bucket());
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        String path = path(key);
        return with(bucket ->
                wire.last("reading " + key, path, call).thenApply(entry -> Records.observe(key, entry, bucket.ttl())));
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return with(bucket -> listing.page(prefix, from, bucket.ttl(), call));
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        if (!(basis.basis() instanceof VacantAt at)) {
            // Held keys can't be acquired; if the key is vacant by now, that is another basis.
            return refused(key, call);
        }
        Link.@Nullable Session known = link.session();
        if (known != null && known.unfit() != null) {
            return CompletableFuture.failedStage(known.unfit());
        }
        String what = "acquiring " + key;
        String path = path(key);
        byte[] value = Records.bytes(proposal);
        LongFunction<CompletionStage<WriteOutcome>> create = revision -> put(
                key, revision, proposal, call, own -> wire.create(what, path, revision, value, own.orElse(null), call));
        return with(bucket -> at.isDeleted() && bucket.tellsOfExpiry()
                ? wire.delete(what, path, at.revision(), bucket.markerTtl(), call)
                        .thenCompose(revision -> revision == Wire.REFUSED ? refused(key, call) : create.apply(revision))
                : create.apply(at.revision()));
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return intent == Intent.RENEW
                ? renewals.add(() -> update(
                        new Purpose("renewing", key),
                        key,
                        basis,
                        record,
                        record.attempt().toString(),
                        call))
                : update(new Purpose("updating", key), key, basis, record, null, call);
    }

    private CompletionStage<WriteOutcome> update(
            Purpose purpose,
            RecordKey key,
            Observation.Held basis,
            LeaderRecord record,
            @Nullable String renewal,
            CallContext call) {
        long expected = heldAt(basis).revision();
        String path = path(key);
        byte[] value = Records.bytes(record);
        return put(
                key,
                expected,
                record,
                call,
                own -> wire.put(purpose, path, expected, value, own.orElse(null), renewal, call));
    }

    /**
     * Writes a record and grants its lease.
     *
     * @param send sends the write; its argument is the key's own time to live, empty for that of the bucket
     */
    private CompletionStage<WriteOutcome> put(
            RecordKey key,
            long expected,
            LeaderRecord record,
            CallContext call,
            Function<Optional<Duration>, CompletableFuture<Long>> send) {
        return with(bucket -> {
            Optional<Duration> own = Optional.ofNullable(bucket.own(record.lease()));
            Duration granted = bucket.granted(record.lease(), link.settings().clockStep());
            return written(
                    key,
                    expected,
                    0,
                    call,
                    () -> send.apply(own),
                    revision -> WriteOutcome.renewed(Records.held(key, revision, record), granted));
        });
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        String path = path(key);
        long expected = heldAt(basis).revision();
        return mark("releasing " + key, key, path, expected, call);
    }

    /** Replaces the message with revision {@code expected} by a marker. */
    private CompletionStage<WriteOutcome> mark(
            String what, RecordKey key, String path, long expected, CallContext call) {
        return with(bucket -> {
            Duration own = bucket.expiring() == Expiring.KEY && bucket.tellsOfExpiry() ? bucket.markerTtl() : null;
            return written(
                    key,
                    expected,
                    0,
                    call,
                    () -> wire.delete(what, path, expected, own, call),
                    revision -> WriteOutcome.written(Records.vacant(key, revision)));
        });
    }

    /**
     * {@inheritDoc} A marker expires by itself; this removes it now. A purge alone would not exclude an acquire: in a
     * cluster of three it is applied after the leader has compared what an acquire expects. So a new marker replaces
     * the one seen, and the new one is purged.
     */
    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        RecordKey key = basis.key();
        if (!(basis.basis() instanceof VacantAt at)) {
            throw new IllegalArgumentException("an observation of another store: " + basis);
        }
        if (at.revision() == 0) {
            return read(key, call).thenApply(now -> WriteOutcome.compared(basis, now));
        }
        String path = path(key);
        String what = "erasing " + key;
        return mark(what, key, path, at.revision(), call)
                .thenCompose(outcome -> outcome instanceof WriteOutcome.Written marked
                                && marked.now().basis() instanceof VacantAt left
                        ? wire.purge(what, path, left.revision(), call)
                                .thenApply(purged -> WriteOutcome.written(Records.vacant(key, 0)))
                        : CompletableFuture.completedStage(outcome));
    }

    /**
     * Sends a write, and again if it was refused although the key has not changed, after a longer pause each time. The
     * leader of three servers also refuses a write while it is finishing the one before, which may be our own and
     * already confirmed. A refused write changed nothing.
     */
    private CompletionStage<WriteOutcome> written(
            RecordKey key,
            long expected,
            int tries,
            CallContext call,
            Supplier<CompletableFuture<Long>> send,
            LongFunction<WriteOutcome> as) {
        return send.get().thenCompose(revision -> {
            if (revision != Wire.REFUSED) {
                return CompletableFuture.completedStage(as.apply(revision));
            }
            return read(key, call)
                    .handle((now, why) -> Optional.ofNullable(now))
                    .thenCompose(now -> isStill(now, expected) && !call.isOver()
                            ? again(key, expected, tries + 1, call, send, as)
                            : CompletableFuture.completedStage(
                                    now.map(WriteOutcome::refused).orElseGet(WriteOutcome::refused)));
        });
    }

    private CompletionStage<WriteOutcome> again(
            RecordKey key,
            long expected,
            int tries,
            CallContext call,
            Supplier<CompletableFuture<Long>> send,
            LongFunction<WriteOutcome> as) {
        CompletableFuture<WriteOutcome> outcome = new CompletableFuture<>();
        link.threads()
                .later(
                        () -> written(key, expected, tries, call, send, as)
                                .whenComplete((value, failure) -> Bundle.complete(outcome, value, failure)),
                        AGAIN_NANOS << Math.min(tries, DOUBLINGS_MAX));
        return outcome;
    }

    private static boolean isStill(Optional<Observation> now, long revision) {
        return now.map(Observation::basis)
                .filter(basis ->
                        basis.equals(new HeldAt(revision)) || basis instanceof VacantAt at && at.revision() == revision)
                .isPresent();
    }

    /** The write was not sent. Reports what the key shows, if it can be read. */
    private CompletionStage<WriteOutcome> refused(RecordKey key, CallContext call) {
        return read(key, call).handle((now, why) -> why == null ? WriteOutcome.refused(now) : WriteOutcome.refused());
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        if (link.isClosed()) {
            throw new IllegalStateException(link.settings().name() + ": the store is closed");
        }
        NatsWatch watch = new NatsWatch(link, wire, records, prefix, hints);
        watches.add(watch);
        watch.start();
        return () -> {
            watch.close();
            watches.remove(watch);
        };
    }

    // ---- for the doctor ----

    @Override
    public CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call) {
        return new NatsDiagnosis(link, wire, lease, call).all();
    }

    @Override
    public boolean admitsScratch() {
        return records.keys().admitsMany();
    }

    @Override
    public Optional<String> rightFor(Verb verb, RecordKey key) {
        String bucket = link.settings().bucket();
        String stream = Subjects.stream(bucket);
        return switch (verb) {
            case READ -> Optional.of("publish on " + Subjects.API + "STREAM.MSG.GET." + stream);
            case LIST -> Optional.of("publish on " + Subjects.API + "STREAM.INFO." + stream);
            case WATCH -> Optional.of("publish on " + Subjects.API + "CONSUMER.CREATE." + stream);
            case ACQUIRE, UPDATE, RELEASE -> Optional.of("publish on " + Subjects.prefix(bucket) + path(key));
            case ERASE -> Optional.of("publish on " + Subjects.API + "STREAM.PURGE." + stream);
            case SESSION -> Optional.empty();
        };
    }

    @Override
    public void close() {
        watches.forEach(NatsWatch::close);
        watches.clear();
        try {
            link.close();
        } finally {
            // The timer is closed, so what it still held is delivered here.
            renewals.handOn();
        }
    }

    private static HeldAt heldAt(Observation.Held held) {
        if (held.basis() instanceof HeldAt at) {
            return at;
        }
        throw new IllegalArgumentException("an observation of another store: " + held);
    }

    /** Servers and bucket, without secrets. */
    @Override
    public String toString() {
        return link.settings().name();
    }
}
