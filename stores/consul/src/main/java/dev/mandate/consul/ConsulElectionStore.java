package dev.mandate.consul;

import dev.mandate.Guarantee;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.support.ForeignLeases;
import dev.mandate.support.Interest;
import dev.mandate.support.OwnObservation;
import dev.mandate.support.StoreCalls.Turn;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Elections in Consul: a key per election, locked by the leader's session.
 *
 * <p>Consul's lock and unlock are conditional on the session only: a lock that arrives late replaces a later record of
 * the same session, and a late unlock frees a later term. So each write is one transaction that first checks the key's
 * index, which never repeats:
 *
 * <ul>
 *   <li><b>acquire</b>: if the key still has the index at which it was seen free, or does not exist, lock it. An
 *       ended session can't.
 *   <li><b>update</b>: if the key has the index seen, lock it again by the same session, which replaces the value and
 *       keeps Consul's LockIndex.
 *   <li><b>release</b>: if the key has the index seen, unlock it, which empties the value. The key stays, so that its
 *       next change has a new index.
 *   <li><b>erase</b>: if the key has the index seen, delete it.
 * </ul>
 *
 * <p>The fencing token is the index at which the lock was taken. Indexes are those of Consul's log, so they rise even
 * if the key was deleted in between. LockIndex would not do: every plain write resets it to 0.
 *
 * <p>A missing key has no index: after a deletion, an acquire sent before the key ever existed can still succeed. The
 * engine removes it as a stray.
 *
 * <p><em>Threads:</em> all methods return at once; two daemon threads and a timer per store do the work. Thread-safe.
 */
public final class ConsulElectionStore implements ElectionStore, Diagnosable {
    private static final Duration LEASE_MIN = Duration.ofSeconds(10);
    private static final Duration LEASE_MAX = Duration.ofSeconds(86_400);

    /** How much later than twice the TTL Consul frees a lock: usually 20 ms, at most 84 ms, were measured. */
    private static final Duration EXPIRY_SLACK = Duration.ofSeconds(1);

    /** Six times as long in JSON, and a third more in base64, it still fits a transaction of 512 KiB. */
    private static final int VALUE_BYTES_MAX = 32 * 1024;

    private final ConsulSettings settings;
    private final Records records;
    private final ConsulHttp http;
    private final KvReader reader;
    private final Interest interest = new Interest(System::nanoTime);
    private final LockDelays lockDelays;
    private final StoreTraits traits;

    /** The sessions opened here and not ended yet. */
    private final Map<String, String> own = new ConcurrentHashMap<>();

    private final Set<ConsulWatch> watches = ConcurrentHashMap.newKeySet();
    private final PrefixWatches prefixWatches;
    private volatile boolean closed;

    ConsulElectionStore(ConsulSettings settings) {
        this.settings = settings;
        this.http = new ConsulHttp(settings);
        ForeignLeases leases = SessionTtls.of(http);
        this.records = new Records(settings.keys(), settings.isRaw(), id -> own.getOrDefault(id, id), leases::known);
        this.reader = new KvReader(records, http, interest, leases);
        this.prefixWatches = new PrefixWatches(http, records);
        this.lockDelays = new LockDelays(settings.lockDelay(), System::nanoTime);
        this.traits = traits(settings);
    }

    private static StoreTraits traits(ConsulSettings settings) {
        String destroyed = "A session that an operator destroys, or that ends with its node"
                + (settings.hasChecks() ? " or its checks" : "") + ", ends early. Nobody can take its locks for "
                + settings.lockDelay().toMillis()
                + " ms; a leader whose lease is longer may believe beyond that, until its"
                + " next renewal, hint or look";
        return StoreTraits.of("Consul", Expiry.STORE_REMOVES, LeaseScope.SESSION)
                .withGuarantee(Guarantee.FENCED)
                .withLeaseBounds(LEASE_MIN, LEASE_MAX, Duration.ofMillis(1))
                .withExpiry(2.0, EXPIRY_SLACK)
                .withLockDelay(settings.lockDelay())
                .withWatch(true)
                .withOrderedTerms(true)
                .withValueBytesMax(VALUE_BYTES_MAX)
                .withAssumptions(
                        "A majority of Consul's servers keeps what it confirmed, and nobody restores an older snapshot while"
                                + " candidates run",
                        "The server that leads the others never stalls on its disk, and is cut off from them but not from"
                                + " candidates, for longer than a lease: it goes on to renew sessions that they end",
                        destroyed,
                        "Locks of Consul bind only those who ask for them: nobody but candidates writes the keys of"
                                + " elections");
    }

    void forget(String session) {
        own.remove(session);
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        use(key);
        return reader.read(key, call);
    }

    /** {@inheritDoc} Each page fetches the names of all keys below the prefix, because Consul has no paging. */
    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return reader.list(prefix, from, call).thenApply(page -> {
            for (Observation seen : page.items()) {
                if (seen instanceof Observation.Held held
                        && own.containsKey(
                                OwnObservation.basis(LockedAt.class, held).session())) {
                    use(seen.key());
                }
            }
            return page;
        });
    }

    private void use(RecordKey key) {
        if (interest.used(key)) {
            watches.forEach(ConsulWatch::interestChanged);
        }
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        if (!(session instanceof ConsulSession mine) || !mine.isOf(this)) {
            throw new IllegalArgumentException(
                    "acquiring " + key + " needs a session that this store opened, not " + session);
        }
        use(key);
        if (!(basis.basis() instanceof FreeAt free)) {
            // Only Consul can end a holder's lock. An observation of another store is refused as well.
            return refused(key, call, null);
        }
        String path = records.path(key);
        Txn txn = records.write(key, free.index(), mine.id(), proposal);
        return commit("acquiring " + key, txn, call).thenCompose(reply -> {
            if (reply.failures().isEmpty()) {
                lockDelays.over(key);
                return written(Records.held(key, reply.indexOf(path), mine.id(), proposal));
            }
            return refused(key, call, reply.isDelayed() ? lockDelays.refused(key, free.index()) : null);
        });
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        if (intent == Intent.RENEW) {
            throw new IllegalArgumentException("the lease of " + key + " is kept by a session; renew that");
        }
        use(key);
        LockedAt at = OwnObservation.basis(LockedAt.class, basis);
        String path = records.path(key);
        String what = "updating " + key;
        Txn txn = records.write(key, at.index(), at.session(), record);
        return commit(what, txn, call)
                // After a restart, Consul applies lock-delays again that were over, even against the present holder.
                .thenCompose(reply -> reply.isDelayed()
                        ? commit(what, records.overwrite(key, at.index(), record), call)
                        : CompletableFuture.completedStage(reply))
                .thenCompose(reply -> reply.failures().isEmpty()
                        ? written(Records.held(key, reply.indexOf(path), at.session(), record))
                        : refused(key, call, null));
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        use(key);
        LockedAt at = OwnObservation.basis(LockedAt.class, basis);
        String path = records.path(key);
        Txn txn = records.free(key, at.index(), at.session());
        return commit("releasing " + key, txn, call)
                .thenCompose(reply -> reply.failures().isEmpty()
                        ? written(Records.vacant(key, reply.indexOf(path)))
                        : refused(key, call, null));
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        RecordKey key = basis.key();
        FreeAt free = OwnObservation.basis(FreeAt.class, basis);
        if (free.equals(FreeAt.NOWHERE)) {
            return reader.read(key, call).thenApply(now -> WriteOutcome.compared(basis, now));
        }
        return commit("erasing " + key, records.erase(key, free.index()), call)
                .thenCompose(reply ->
                        reply.failures().isEmpty() ? written(Records.vacant(key, 0)) : refused(key, call, null));
    }

    private static CompletionStage<WriteOutcome> written(Observation now) {
        return CompletableFuture.completedStage(WriteOutcome.written(now));
    }

    /** Sends a transaction. The stage fails if it is unknown whether it took effect, and if it could not. */
    private CompletionStage<TxnReply> commit(String what, Txn txn, CallContext call) {
        return reader.send(what, txn, call).thenCompose(reply -> {
            if (reply.failures().isEmpty() && reply.results().isEmpty()) {
                return CompletableFuture.failedStage(
                        Fault.noConsul(http.name(), what, "it has no results", http.wasConsul()));
            }
            return CompletableFuture.completedStage(reply);
        });
    }

    /** The write changed nothing and never will. Reports what the key shows, if it can be read. */
    private CompletionStage<WriteOutcome> refused(RecordKey key, CallContext call, @Nullable Duration retryAfter) {
        return reader.read(key, call).handle((now, why) -> {
            if (retryAfter != null) {
                return WriteOutcome.refusedFor(retryAfter, why == null ? now : null);
            }
            return why == null ? WriteOutcome.refused(now) : WriteOutcome.refused();
        });
    }

    /** {@inheritDoc} The lease is rounded up to whole milliseconds. */
    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        Duration bounded =
                lease.compareTo(LEASE_MIN) < 0 ? LEASE_MIN : lease.compareTo(LEASE_MAX) > 0 ? LEASE_MAX : lease;
        Duration granted = Duration.ofMillis(bounded.plusNanos(999_999).toMillis());
        if (!settings.covers(granted)) {
            throw new StoreSetupException(settings.uncovered(granted));
        }
        interest.lease(granted.toNanos());
        String what = "opening a session";
        return http.put(what, "session/create", "", SessionRequest.body(settings, granted), Turn.AT_ONCE, call)
                .thenCompose(answer -> {
                    if (!answer.isOk()) {
                        return CompletableFuture.failedStage(SessionRequest.fault(http, settings, what, answer));
                    }
                    String id = SessionRequest.id(http, what, answer);
                    own.put(id, id);
                    return CompletableFuture.<StoreSession>completedStage(
                            new ConsulSession(this, this::forget, http, id, granted));
                });
    }

    /**
     * {@inheritDoc} Uses blocking queries. For all elections, one per election that this client uses, up to
     * {@value ConsulWatch#KEYS_MAX}, else one for all. For any other prefix, one query, which returns all records below
     * it on every change.
     */
    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        if (closed) {
            throw new IllegalStateException(http.name() + ": the store is closed");
        }
        if (!prefix.equals(RecordKey.elections())) {
            return watchAll(prefix, hints);
        }
        ConsulWatch watch = new ConsulWatch(http, records, interest, hints);
        watches.add(watch);
        watch.start();
        return () -> {
            watches.remove(watch);
            watch.close();
        };
    }

    /** {@inheritDoc} Uses one blocking query, which returns all records below the prefix on every change. */
    @Override
    public Subscription watchAll(RecordKey prefix, Consumer<Hint> hints) {
        if (closed) {
            throw new IllegalStateException(http.name() + ": the store is closed");
        }
        return prefixWatches.watch(prefix, hints);
    }

    @Override
    public CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call) {
        return ConsulDiagnosis.of(settings, http, reader, records, lease, call);
    }

    @Override
    public boolean admitsScratch() {
        return settings.keys().admitsMany();
    }

    @Override
    public Optional<String> rightFor(Verb verb, RecordKey key) {
        return ConsulDiagnosis.rightFor(settings, verb, key);
    }

    @Override
    public void close() {
        closed = true;
        watches.forEach(ConsulWatch::close);
        watches.clear();
        prefixWatches.close();
        http.close();
    }

    /** The agent, without secrets. */
    @Override
    public String toString() {
        return http.name();
    }
}
