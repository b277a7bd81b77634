package dev.mandate.etcd;

import dev.mandate.Guarantee;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
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
import dev.mandate.support.OwnObservation;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Elections in etcd: one key per election, one lease per client, one watch per client. Every write is one transaction.
 *
 * <table>
 * <caption>What each call writes, and when</caption>
 * <tr><th>verb</th><th>if</th><th>then</th><th>else</th></tr>
 * <tr><td>acquire</td><td>version = 0</td><td>put with the session's lease</td><td>get</td></tr>
 * <tr><td>update</td><td>mod and create revision are as seen</td><td>put with the lease
 * the key had</td><td>get</td></tr>
 * <tr><td>release</td><td>the same</td><td>delete</td><td>get</td></tr>
 * </table>
 *
 * <p>Outcomes:
 *
 * <ul>
 *   <li><b>Written or refused</b>: the transaction was answered. Also refused if its lease is gone: etcd checks the
 *       lease before it writes anything, and an ended lease never returns.
 *   <li><b>Setup</b>: credentials, rights, space, TLS, or a server that is not etcd. Nothing was written.
 *   <li><b>Unknown</b>: everything else, mostly {@code UNAVAILABLE} and {@code DEADLINE_EXCEEDED}. A write that a
 *       frozen member has received may land when it wakes up.
 * </ul>
 *
 * <p>The fencing token is the key's create revision: cluster-wide, larger after every release, and
 * unchanged by updates.
 */
final class EtcdElectionStore implements ElectionStore, Diagnosable {
    private static final Duration LEASE_MAX = Duration.ofDays(1);
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    private final StoreTraits traits;
    private final EtcdSettings settings;
    private final EtcdConnection connection;
    private final Layout layout;
    private final Listing listing;
    private final ForeignLeases foreign;
    private final ClusterCheck cluster;
    private final Set<EtcdWatch> watches = ConcurrentHashMap.newKeySet();

    EtcdElectionStore(EtcdSettings settings) {
        this.settings = settings;
        this.connection = new EtcdConnection(settings);
        this.foreign = new ForeignLeases(EtcdElectionStore::foreignLease, this::lengthOf);
        this.layout = new Layout(
                settings.keys(),
                settings.raw(),
                lease -> foreign.known(Long.toString(lease)).orElse(null));
        this.listing = new Listing(connection, layout);
        this.cluster = new ClusterCheck(connection, settings.acceptsStaleLeader());
        this.traits = StoreTraits.of("etcd", Expiry.STORE_REMOVES, LeaseScope.SESSION)
                .withGuarantee(Guarantee.FENCED)
                // 2 s with the default election timeout; a server with a longer one grants more than requested.
                .withLeaseBounds(Duration.ofSeconds(2), LEASE_MAX, Duration.ofSeconds(1))
                // Servers check leases twice a second, and ending one is a write.
                .withExpiry(1.0, Duration.ofSeconds(1))
                .withWatch(true)
                .withOrderedTerms(true)
                .withLeftovers(false)
                .withAssumptions(assumptions(settings.acceptsStaleLeader()));
    }

    private static String[] assumptions(boolean acceptsStaleLeader) {
        return Stream.of(
                        "a majority of the members keeps what it confirmed: disks that sync, and no member that comes back"
                                + " without its data under its old name",
                        "nobody restores a snapshot while candidates run",
                        "only Mandate, and recipes that write if the version is 0, write to the keys of elections",
                        "after a restart of the cluster or a change of its leader every lease starts again with its full"
                                + " length: then a dead leader is freed that much later, never earlier",
                        acceptsStaleLeader
                                ? EtcdUrl.STALE_LEADER
                                        + "=accept: no leader of the cluster stalls for longer than a lease;"
                                        + " below 3.4.31 and 3.5.13 it would end leases that live"
                                : "")
                .filter(assumption -> !assumption.isEmpty())
                .toArray(String[]::new);
    }

    /**
     * Finds a member that answers, so that the engine's first calls do not wait for connections and class loading.
     * Blocks for three seconds at most.
     *
     * @throws StoreSetupException if the setup has to change
     */
    void warmUp() {
        CallContext all = CallContext.within(WARM_UP);
        int members = connection.members().size();
        for (int i = 0; i < members; i++) {
            try {
                CallContext mine = CallContext.within(all.remaining().dividedBy(members - i));
                var unused = read(RecordKey.PROBE, mine)
                        .toCompletableFuture()
                        // Waiting for a token has its own timeout.
                        .orTimeout(mine.remainingMillis() + 100, TimeUnit.MILLISECONDS)
                        .join();
                cluster.pass(CallContext.within(all.remaining())).join();
                return;
            } catch (CompletionException e) {
                if (e.getCause() instanceof StoreSetupException setup) {
                    throw setup;
                }
            }
        }
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return transact("reading " + key, layout.read(key), call, answer -> observed(key, answer))
                .thenCompose(seen -> foreign.completed(seen, call));
    }

    private Observation observed(RecordKey key, TxnResponse answer) {
        return layout.observe(key, answer.getResponsesList());
    }

    private static String foreignLease(Observation.Held held) {
        long lease = OwnObservation.basis(HeldAt.class, held).lease();
        return lease == 0 ? "" : Long.toString(lease);
    }

    private CompletionStage<Optional<Duration>> lengthOf(String lease, CallContext call) {
        LeaseTimeToLiveRequest request =
                LeaseTimeToLiveRequest.newBuilder().setID(Long.parseLong(lease)).build();
        return connection
                .call("asking for a lease", LeaseGrpc.getLeaseTimeToLiveMethod(), request, call)
                .thenApply(answer -> Optional.of(Duration.ofSeconds(answer.getGrantedTTL()))
                        .filter(length -> !length.isNegative() && !length.isZero()));
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return listing.page(prefix, from, call);
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        if (!(session instanceof EtcdSession mine) || !mine.isOf(connection)) {
            throw new IllegalArgumentException("acquiring in etcd takes a session of this store, not " + session);
        }
        if (basis instanceof Observation.Held) {
            // Held keys can't be acquired; if the key is vacant by now, that is another basis.
            return read(key, call).thenApply(WriteOutcome::refused);
        }
        return write("acquiring " + key, key, layout.acquire(key, proposal, mine.lease()), call, revision -> {
            HeldAt at = new HeldAt(revision, revision, mine.lease());
            return layout.written(key, proposal, at);
        });
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        HeldAt at = OwnObservation.basis(HeldAt.class, basis);
        return write(
                "updating " + key,
                key,
                layout.update(key, at, record),
                call,
                revision -> layout.written(key, record, new HeldAt(revision, at.created(), at.lease())));
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return write(
                "releasing " + key,
                key,
                layout.release(key, OwnObservation.basis(HeldAt.class, basis)),
                call,
                revision -> Layout.vacant(key));
    }

    /** {@inheritDoc} A vacant key leaves nothing behind, and create revisions always rise. */
    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        return read(basis.key(), call).thenApply(now -> WriteOutcome.compared(basis, now));
    }

    private interface Written {
        Observation at(long revision);
    }

    private CompletionStage<WriteOutcome> write(
            String what, RecordKey key, TxnRequest txn, CallContext call, Written written) {
        return transact(what, txn, call, Function.identity())
                .thenCompose(answer -> answer.getSucceeded()
                        ? CompletableFuture.completedFuture(WriteOutcome.written(
                                written.at(answer.getHeader().getRevision())))
                        : foreign.completed(observed(key, answer), call).thenApply(WriteOutcome::refused))
                .exceptionallyCompose(failure -> Fault.isLeaseGone(Causes.unwrapped(failure))
                        ? CompletableFuture.completedFuture(WriteOutcome.refused())
                        : CompletableFuture.failedFuture(Causes.unwrapped(failure)));
    }

    private <T> CompletableFuture<T> transact(
            String what, TxnRequest txn, CallContext call, Function<TxnResponse, T> as) {
        return connection.call(what, KVGrpc.getTxnMethod(), txn, call).thenApply(answer -> {
            connection.saw(answer.getHeader());
            return as.apply(answer);
        });
    }

    /** {@inheritDoc} The lease is rounded up to whole seconds; the server may grant more. */
    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        Duration bounded = lease.compareTo(traits.leaseMin()) < 0
                ? traits.leaseMin()
                : lease.compareTo(LEASE_MAX) > 0 ? LEASE_MAX : lease;
        LeaseGrantRequest request = LeaseGrantRequest.newBuilder()
                .setTTL(bounded.plusNanos(999_999_999).getSeconds())
                .build();
        return cluster.pass(call)
                .thenCompose(member ->
                        connection.call(member, "opening a lease", LeaseGrpc.getLeaseGrantMethod(), request, call))
                .thenApply(answer -> {
                    connection.saw(answer.getHeader());
                    if (!answer.getError().isEmpty() || answer.getID() == 0 || answer.getTTL() <= 0) {
                        throw new StoreUnavailableException(
                                connection.name() + ": opening a lease: the answer is lease "
                                        + Long.toHexString(answer.getID()) + " and " + answer.getTTL() + " s");
                    }
                    return new EtcdSession(connection, layout, answer.getID(), Duration.ofSeconds(answer.getTTL()));
                });
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        if (connection.isClosed()) {
            throw new IllegalStateException(connection.name() + ": the store is closed");
        }
        EtcdWatch watch = new EtcdWatch(connection, layout, prefix, hints);
        watches.add(watch);
        watch.start();
        return () -> {
            watch.close();
            watches.remove(watch);
        };
    }

    @Override
    public CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call) {
        return EtcdDiagnosis.of(settings, connection, layout, call);
    }

    @Override
    public boolean admitsScratch() {
        return settings.keys().admitsMany();
    }

    @Override
    public Optional<String> rightFor(Verb verb, RecordKey key) {
        return EtcdDiagnosis.rightFor(layout, verb, key);
    }

    @Override
    public void close() {
        watches.forEach(EtcdWatch::close);
        watches.clear();
        connection.close();
    }

    /** The cluster, without secrets. */
    @Override
    public String toString() {
        return connection.name();
    }
}
