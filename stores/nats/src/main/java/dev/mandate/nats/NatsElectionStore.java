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
import dev.mandate.support.OwnObservation;
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
 * revision that it replaces; the fencing token is the revision of the write that acquired.
 *
 * <ul>
 *   <li>acquire: the record replaces nothing, or the marker seen. If another program deleted the key, a marker comes
 *       first: when a deletion expires, the server may erase the record that was just written over it.
 *   <li>update: the record replaces the one seen, and its time to live starts again: the answer is a grant.
 *   <li>release: a marker replaces the record, so that each vacancy has a different revision.
 *   <li>erase: another marker replaces the one seen, and is then purged.
 * </ul>
 *
 * <p>A write is <em>written</em> or <em>refused</em> if the leader of the bucket answered. Credentials, rights, limits,
 * TLS, or an unusable bucket or server are a fault of the <em>setup</em>, and nothing was written. All else is
 * <em>unknown</em>: a write that a paused server has received may land when it wakes up.
 *
 * <p>All methods return at once; answers come on a thread of the connection. Thread-safe.
 */
final class NatsElectionStore implements ElectionStore, Diagnosable {
    private static final Duration FIRST = Duration.ofSeconds(3);
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Pauses of up to 64 ms; the leader of three servers usually needs 1 or 2 ms. */
    private static final int DOUBLINGS_MAX = 6;

    private final Link link;
    private final Wire wire;
    private final Listing listing;
    private final Keys keys;
    private final Bundle renewals;
    private final Set<NatsWatch> watches = ConcurrentHashMap.newKeySet();
    private final StoreTraits traits;

    private NatsElectionStore(NatsSettings settings, Link link) {
        this.link = link;
        this.wire = new Wire(link);
        this.keys = settings.keys();
        this.renewals = new Bundle(link.threads(), link.dialer().cork(), System::nanoTime);
        this.listing = new Listing(wire, keys);
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

    private Op op(String doing, RecordKey key, CallContext call) {
        String path = keys.path(key);
        if (keys.widens(path)) {
            watches.forEach(NatsWatch::widen);
        }
        return new Op(doing, key, path, call);
    }

    /** Calls with the bucket as last examined; without a connection, returns a failed stage. */
    private <T> CompletionStage<T> with(Function<Bucket, CompletionStage<T>> call) {
        Link.@Nullable Session session = link.session();
        return session == null ? CompletableFuture.failedStage(link.why()) : call.apply(session.bucket());
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        Op op = op("reading", key, call);
        return with(bucket -> wire.last(op).thenApply(entry -> Records.observe(key, entry, bucket.ttl())));
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
        Op op = op("acquiring", key, call);
        byte[] value = Records.bytes(proposal);
        LongFunction<CompletionStage<WriteOutcome>> create =
                revision -> put(op, revision, proposal, own -> wire.create(op, revision, value, own));
        return with(bucket -> at.isDeleted() && bucket.tellsOfExpiry()
                ? wire.delete(op, at.revision(), bucket.markerTtl())
                        .thenCompose(revision -> revision == Wire.REFUSED ? refused(key, call) : create.apply(revision))
                : create.apply(at.revision()));
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        boolean isRenewal = intent == Intent.RENEW;
        Op op = op(isRenewal ? "renewing" : "updating", key, call);
        long expected = OwnObservation.basis(HeldAt.class, basis).revision();
        byte[] value = Records.bytes(record);
        String renewal = isRenewal ? record.attempt().toString() : null;
        Supplier<CompletionStage<WriteOutcome>> send =
                () -> put(op, expected, record, own -> wire.put(op, expected, value, own, renewal));
        return isRenewal ? renewals.add(send) : send.get();
    }

    /**
     * Writes a record and grants its lease.
     *
     * @param send sends the write; its argument is the key's own time to live, null for that of the bucket
     */
    private CompletionStage<WriteOutcome> put(
            Op op, long expected, LeaderRecord record, Function<@Nullable Duration, CompletableFuture<Long>> send) {
        return with(bucket -> {
            Duration own = bucket.own(record.lease());
            Duration granted = bucket.granted(record.lease(), link.settings().clockStep());
            return written(
                    new Write(op, expected, () -> send.apply(own)),
                    0,
                    revision -> WriteOutcome.renewed(Records.held(op.key(), revision, record), granted));
        });
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return mark(
                op("releasing", key, call),
                OwnObservation.basis(HeldAt.class, basis).revision());
    }

    private CompletionStage<WriteOutcome> mark(Op op, long expected) {
        return with(bucket -> {
            Duration own = bucket.expiring() == Expiring.KEY && bucket.tellsOfExpiry() ? bucket.markerTtl() : null;
            return written(
                    new Write(op, expected, () -> wire.delete(op, expected, own)),
                    0,
                    revision -> WriteOutcome.written(Records.vacant(op.key(), revision)));
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
        VacantAt at = OwnObservation.basis(VacantAt.class, basis);
        if (at.revision() == 0) {
            return read(key, call).thenApply(now -> WriteOutcome.compared(basis, now));
        }
        Op op = op("erasing", key, call);
        return mark(op, at.revision())
                .thenCompose(outcome -> outcome instanceof WriteOutcome.Written marked
                                && marked.now().basis() instanceof VacantAt left
                        ? wire.purge(op, left.revision())
                                .thenApply(purged -> WriteOutcome.written(Records.vacant(key, 0)))
                        : CompletableFuture.completedStage(outcome));
    }

    /** A write that names the revision it replaces. */
    private record Write(Op op, long expected, Supplier<CompletableFuture<Long>> send) {
        boolean isStill(@Nullable Observation now) {
            return now != null
                    && (now.basis().equals(new HeldAt(expected))
                            || now.basis() instanceof VacantAt at && at.revision() == expected);
        }
    }

    /**
     * Sends a write, and again, after a longer pause each time, if it was refused although the key has not changed. The
     * leader of three servers also refuses a write while it is finishing the one before, which may be our own and
     * already confirmed. A refused write changed nothing.
     *
     * @param as the outcome, given the new revision
     */
    private CompletionStage<WriteOutcome> written(Write write, int tries, LongFunction<WriteOutcome> as) {
        return write.send.get().thenCompose(revision -> {
            if (revision != Wire.REFUSED) {
                return CompletableFuture.completedStage(as.apply(revision));
            }
            CallContext call = write.op.call();
            return read(write.op.key(), call)
                    .exceptionally(why -> null)
                    .thenCompose(now -> write.isStill(now) && !call.isOver()
                            ? pause(tries + 1).thenCompose(over -> written(write, tries + 1, as))
                            : CompletableFuture.completedStage(refused(now)));
        });
    }

    private CompletableFuture<Void> pause(int tries) {
        CompletableFuture<Void> pause = new CompletableFuture<>();
        link.threads().later(() -> pause.complete(null), AGAIN_NANOS << Math.min(tries, DOUBLINGS_MAX));
        return pause;
    }

    /** The write was not sent. Reports what the key shows, if it can be read. */
    private CompletionStage<WriteOutcome> refused(RecordKey key, CallContext call) {
        return read(key, call).exceptionally(why -> null).thenApply(NatsElectionStore::refused);
    }

    private static WriteOutcome refused(@Nullable Observation now) {
        return now == null ? WriteOutcome.refused() : WriteOutcome.refused(now);
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        if (link.isClosed()) {
            throw new IllegalStateException(link.settings().name() + ": the store is closed");
        }
        NatsWatch watch = new NatsWatch(link, wire, prefix, hints);
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
        return keys.admitsMany();
    }

    @Override
    public Optional<String> rightFor(Verb verb, RecordKey key) {
        String bucket = link.settings().bucket();
        String stream = Subjects.stream(bucket);
        return switch (verb) {
            case READ -> Optional.of("publish on " + Subjects.API + "STREAM.MSG.GET." + stream);
            case LIST -> Optional.of("publish on " + Subjects.API + "STREAM.INFO." + stream);
            case WATCH -> Optional.of("publish on " + Subjects.API + "CONSUMER.CREATE." + stream);
            case ACQUIRE, UPDATE, RELEASE -> Optional.of("publish on " + Subjects.prefix(bucket) + keys.path(key));
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

    /** Servers and bucket, without secrets. */
    @Override
    public String toString() {
        return link.settings().name();
    }
}
