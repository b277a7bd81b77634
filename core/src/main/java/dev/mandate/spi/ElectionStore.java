package dev.mandate.spi;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The contract of every store: a compare-and-set register per key, with a lease.
 *
 * <p><strong>For every method.</strong> <em>Threads:</em> called from one thread at a time per client; must not block,
 * and may complete its stage on any thread. <em>Errors:</em> a method may throw or return a failed stage, which means
 * the same: {@link dev.mandate.StoreSetupException} for what will not work until somebody changes something
 * (credentials, a missing table); anything else for <em>unknown</em>. A write that failed this way may still take
 * effect later. <em>Time:</em> the stage should end by the call's deadline; a later answer is used where that is safe
 * and dropped elsewhere. <em>Retries:</em> a store may send a write again, on the same basis, only before the call's
 * deadline and after an answer that proves that nothing was written. It never resends a write without an answer: the
 * first one may have landed.
 *
 * <p>A store's conformance test, from the {@code testkit} module, takes about fifteen lines and checks this contract.
 */
public interface ElectionStore extends AutoCloseable {

    /** The properties and assumptions of this store. Constant for the life of the store. */
    StoreTraits traits();

    /**
     * Reads one key, linearizably: the answer shows every write that was confirmed before the call.
     *
     * <p>With {@link Expiry#STORE_REMOVES}, a key whose lease is over reads as vacant; with {@link
     * Expiry#OBSERVER_JUDGES}, it shows the last holder until that is replaced.
     */
    CompletionStage<Observation> read(RecordKey key, CallContext call);

    /**
     * Lists the keys at or below {@code prefix}, as {@link RecordKey#isBelow} says, that were ever held and are known
     * to the store, in bounded pages. Each page is as linearizable as {@link #read}: it shows every write that was
     * confirmed before the page was requested. A prefix with segments queries only the keys below it: {@code web} costs
     * nothing for {@code webapp}.
     */
    CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call);

    /**
     * Writes {@code proposal} to {@code key} if its state is still exactly {@code basis}. Of several calls on one basis
     * at most one is written.
     *
     * <p>With {@link Expiry#OBSERVER_JUDGES}, {@code basis} may be {@code Held}: the caller has waited a full lease
     * without any change of its liveness. Then the write must be conditional on that liveness, too, and must prevent
     * the deposed session or record from being renewed. Nothing of the replaced record is carried over.
     *
     * @param session what keeps the lease where {@link LeaseScope#SESSION}, else null. The write is
     *     refused if it has ended
     * @return written with {@code Held} (and the granted lease, where {@link LeaseScope#RECORD}), or refused
     */
    CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call);

    /**
     * Replaces the record at {@code key} by {@code record} if its state is still exactly {@code basis}, and keeps the
     * lease attached. Grants a new lease only with {@link Intent#RENEW}, or where the store cannot write without
     * renewing: then the answer carries the grant.
     */
    CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call);

    /**
     * Makes {@code key} vacant if its state is still exactly {@code basis}. Must never free a later term, however late
     * it arrives. Works on foreign records, too.
     */
    CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call);

    /**
     * Removes what is left of a vacant key if its state is still exactly {@code basis}; from then on it reads as if it
     * had never been held. For names that come and go: registrations, and an election that the doctor made up.
     * <strong>Never for a real election.</strong>
     *
     * <p>No earlier state of the key returns: every earlier basis is refused, unless the key reads at that basis now,
     * and the next token is larger than all before. A store whose server does not count by itself keeps the largest
     * version and token that it ever erased. Where nothing is left of a vacant key, or it disappears by itself after a
     * time, the store only compares.
     *
     * @return written with {@code Vacant}, even if there was nothing to remove; or refused. May need a right that
     *     no other verb needs
     */
    CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call);

    /**
     * Opens a lease that many records share. Only where {@link LeaseScope#SESSION}.
     *
     * @param lease the requested lease; {@link StoreSession#granted()} is the granted one
     */
    default CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException(
                "this store keeps a lease per record and has no sessions; see traits().leaseScope()"));
    }

    /**
     * Reports every key below {@code prefix} that changes, becomes vacant or is removed after this method returned, by
     * a hint that shows the key or by a gap. Only a watch of {@link RecordKey#elections()} may leave out keys that this
     * client has not used lately. A key that is released and {@linkplain #erase erased} at once may vanish unreported:
     * list keys that come and go now and then. Only stores that end leases themselves report the end of a lease.
     *
     * <p>A client may have several watches open: one for all its elections, however many, and one for each other prefix
     * that it follows. The hints of a watch may arrive on any thread, one at a time; the consumer does not block.
     * Opening may fail by throwing; the engine polls anyway.
     */
    default Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        return Subscription.NONE;
    }

    /**
     * Like {@link #watch}, but leaves out nothing: a watch of {@link RecordKey#elections()} also reports elections that
     * this client never used. For clients that follow all of them; may cost more. Override it only if {@link #watch}
     * leaves something out.
     */
    default Subscription watchAll(RecordKey prefix, Consumer<Hint> hints) {
        return watch(prefix, hints);
    }

    /** Gives back connections and threads, within a few seconds. Ends no session and releases nothing. Idempotent. */
    @Override
    void close();
}
