package dev.mandate.internal.memory;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store does, and nothing else: a synchronous, deterministic model of every kind of store, made from traits and
 * options. It has no clock, thread or randomness; time is the <em>server's</em>, passed in with every call, in
 * nanoseconds from any origin.
 *
 * <p>The four kinds:
 *
 * <ul>
 * <li>{@code STORE_REMOVES}, {@code SESSION}: etcd, Consul. A key is free exactly lease × factor + slack after the last
 * renewal of its session <em>reached</em> the store.
 * <li>{@code STORE_REMOVES}, {@code RECORD}: NATS, Azure Blob. The same, for each record's own lease. The store grants
 * that lease minus the reserve of its traits. {@link #claim} is for stores that first lease a key, and then write the
 * record under that lease.
 * <li>{@code OBSERVER_JUDGES}, {@code SESSION}: SQL. Liveness is the session and how often it was renewed. Acquiring
 * from {@code Held} first ends the old session if it is still as seen ({@link #depose} does only that), then takes the
 * row if that is still as seen. What an ended session kept reads vacant.
 * <li>{@code OBSERVER_JUDGES}, {@code RECORD}: a Kubernetes Lease, an S3 object. A renewal moves basis and liveness,
 * any other update only the basis.
 * </ul>
 *
 * <p>Not thread-safe. Memory is bounded by the most records held at a time plus {@value #VACANT_ROWS_MAX} vacant keys.
 */
public final class ModelStore {
    /** How many keys may be added to those held before vacant ones are forgotten; versions and tokens still rise. */
    static final int VACANT_ROWS_MAX = 10_000;

    /** How long a caller that finds a key claimed should wait. */
    private static final Duration CLAIM_PAUSE = Duration.ofSeconds(1);

    private final StoreTraits traits;
    private final ModelOptions options;
    private final boolean isRemoving;
    private final boolean isBySession;
    private final boolean isByRevision;
    private final long lockDelayNanos;
    private final long reserveNanos;

    private final Rows rows;
    private final Leases leases;

    /** An empty store. */
    public ModelStore(StoreTraits traits, ModelOptions options) {
        this.traits = traits;
        this.options = options;
        this.isRemoving = traits.expiry() == Expiry.STORE_REMOVES;
        this.isBySession = traits.leaseScope() == LeaseScope.SESSION;
        this.isByRevision = options.token() == ModelOptions.Token.REVISION;
        this.rows = new Rows(traits, options);
        this.leases = new Leases(traits);
        this.lockDelayNanos = traits.lockDelay().toNanos();
        this.reserveNanos = traits.reserve().toNanos();
    }

    /** What it was made from. */
    public StoreTraits traits() {
        return traits;
    }

    /** What it was made from. */
    public ModelOptions options() {
        return options;
    }

    /** The lease granted for a request of {@code leaseNanos}: rounded up to the step and kept within the bounds. */
    public long grantedNanos(long leaseNanos) {
        return leases.grantedNanos(leaseNanos);
    }

    /** Reads one key. */
    public Observation read(RecordKey key, long nowNanos) {
        removeExpired(nowNanos);
        return rows.shown(key);
    }

    /**
     * Lists keys below {@code prefix} in the order of their paths.
     *
     * @param limit the most items of one page; positive
     */
    public Page<Observation> list(RecordKey prefix, Cursor from, int limit, long nowNanos) {
        removeExpired(nowNanos);
        return rows.page(prefix.path(), from, limit);
    }

    /**
     * Puts {@code proposal} at {@code key} if {@code basis} is still current.
     *
     * @param session the session that keeps the lease; 0 if leases are per record
     * @param wallMillis the server's wall clock, for tokens
     */
    public WriteOutcome acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, long session, long nowNanos, long wallMillis) {
        removeExpired(nowNanos);
        Lease own = isBySession ? leases.session(session) : null;
        if (isBySession && own == null) {
            return refused(key);
        }
        boolean asSeen =
                basis instanceof Observation.Held held ? depose(key, held, own) : rows.isAsSeen(key, basis.basis());
        if (!asSeen) {
            return refused(key);
        }
        Row row = rows.make(key, nowNanos);
        if (row.lockedUntilNanos > nowNanos) {
            return WriteOutcome.refusedFor(Duration.ofNanos(row.lockedUntilNanos - nowNanos), rows.shown(row));
        }
        if (row.isClaimedByOthers(proposal.attempt())) {
            return WriteOutcome.refusedFor(CLAIM_PAUSE, rows.shown(row));
        }
        take(row, proposal, own, nowNanos, wallMillis);
        return isBySession
                ? WriteOutcome.written(rows.shown(row))
                : WriteOutcome.renewed(rows.shown(row), granted(row, proposal));
    }

    /**
     * The first half of an acquisition from {@code held}, where observers judge a session: ends the session that kept
     * it, if that is still as seen. {@link #acquire} on the same basis is the second half; it checks everything again,
     * whatever happens in between.
     */
    public void depose(RecordKey key, Observation.Held held, long session, long nowNanos) {
        removeExpired(nowNanos);
        Lease own = leases.session(session);
        if (own != null) {
            depose(key, held, own);
        }
    }

    /**
     * The first half of an acquisition where each record has a lease: takes the lease of a vacant key for
     * {@code attempt}. The key stays vacant, and refuses everybody else until the lease is over or given back.
     * {@link #acquire} on the same basis is the second half.
     *
     * @return whether the attempt has the lease; the same attempt gets it again
     */
    public boolean claim(RecordKey key, Observation.Vacant basis, Id attempt, Duration lease, long nowNanos) {
        removeExpired(nowNanos);
        Row row = rows.make(key, nowNanos);
        if (!rows.isAsSeen(key, basis.basis()) || row.isClaimedByOthers(attempt)) {
            return false;
        }
        leases.endClaim(row);
        leases.claim(row, attempt, lease.toNanos(), nowNanos);
        return true;
    }

    /** Gives back what {@link #claim} took, unless it was used. */
    public void unclaim(RecordKey key, Id attempt, long nowNanos) {
        removeExpired(nowNanos);
        Row row = rows.at(key);
        if (row != null && attempt.equals(row.claimant)) {
            leases.endClaim(row);
        }
    }

    /**
     * Whether the row may be taken from {@code held}. Ends the session that kept it, if that is still as seen: the
     * caller has waited a lease without a renewal, so it is dead whatever became of the row.
     */
    private boolean depose(RecordKey key, Observation.Held held, @Nullable Lease own) {
        if (isRemoving) {
            return false;
        }
        if (held.liveness() instanceof SessionSeen seen) {
            Lease old = leases.session(seen.session());
            if (old != null && !old.equals(own) && old.version == seen.version()) {
                leases.end(old);
                free(old, 0);
            }
        }
        Row row = rows.at(key);
        if (row == null || row.version != Version.number(held.basis())) {
            return false;
        }
        return isBySession ? row.isVacant() || row.foreign != null : !row.isVacant();
    }

    private void take(Row row, LeaderRecord proposal, @Nullable Lease own, long nowNanos, long wallMillis) {
        Lease claimed = row.claim;
        row.clear(rows.nextRevision());
        row.renewedAt = row.version;
        if (isByRevision) {
            row.record = proposal;
        } else {
            row.token = Math.max(row.token + 1, wallMillis);
            row.record = proposal.withTerm(row.token);
        }
        row.lease = own;
        if (isRemoving && !isBySession) {
            row.lease = claimed != null
                    ? claimed
                    : leases.ofRow(row, proposal.lease().toNanos(), nowNanos);
        }
    }

    private Duration granted(Row row, LeaderRecord record) {
        return row.lease == null ? record.lease() : Duration.ofNanos(row.lease.leaseNanos - reserveNanos);
    }

    /** Replaces the record at the key of {@code basis} if that is still current. */
    public WriteOutcome update(Observation.Held basis, LeaderRecord record, Intent intent, long nowNanos) {
        removeExpired(nowNanos);
        Row row = rows.standing(basis);
        if (row == null && intent == Intent.RENEW && options.renewsExpired()) {
            row = expired(basis, nowNanos);
        }
        if (row == null) {
            return refused(basis.key());
        }
        row.version = rows.nextRevision();
        row.record = record;
        row.foreign = null;
        row.foreignLease = null;
        if (isBySession || (intent != Intent.RENEW && !options.updatesRenew())) {
            return WriteOutcome.written(rows.shown(row));
        }
        row.renewedAt = row.version;
        if (row.lease != null) {
            leases.renew(row.lease, record.lease().toNanos(), nowNanos);
        }
        return WriteOutcome.renewed(rows.shown(row), granted(row, record));
    }

    /** Makes the key of {@code basis} vacant if that is still current. */
    public WriteOutcome release(Observation.Held basis, long nowNanos) {
        removeExpired(nowNanos);
        Row row = rows.standing(basis);
        if (row == null) {
            return refused(basis.key());
        }
        vacate(row);
        return WriteOutcome.written(rows.shown(basis.key()));
    }

    /** Forgets the key of {@code basis} if that is still current, but not during a lock-delay or a claim. */
    public WriteOutcome erase(Observation.Vacant basis, long nowNanos) {
        removeExpired(nowNanos);
        RecordKey key = basis.key();
        if (!rows.isAsSeen(key, basis.basis())) {
            return refused(key);
        }
        Row row = rows.at(key);
        if (row != null && row.lockedUntilNanos > nowNanos) {
            return WriteOutcome.refusedFor(Duration.ofNanos(row.lockedUntilNanos - nowNanos), rows.shown(row));
        }
        if (row != null && row.claim != null) {
            return WriteOutcome.refusedFor(CLAIM_PAUSE, rows.shown(row));
        }
        if (row != null) {
            rows.forget(row);
        }
        return WriteOutcome.written(rows.shown(key));
    }

    /** The row of a record whose lease is over, with a new lease, if nothing else has happened to it; else null. */
    private @Nullable Row expired(Observation.Held basis, long nowNanos) {
        Row row = rows.at(basis.key());
        LeaderRecord record = row == null ? null : row.record;
        if (row == null || record == null || row.version != Version.number(basis.basis()) || row.claim != null) {
            return null;
        }
        row.lease = leases.ofRow(row, record.lease().toNanos(), nowNanos);
        return row;
    }

    /**
     * Opens a session with a lease of {@link #grantedNanos}. Returns its number, 1 or more, never the same twice.
     *
     * @throws IllegalStateException if the store has no sessions
     */
    public long openSession(long leaseNanos, long nowNanos) {
        if (!isBySession) {
            throw new IllegalStateException("a store with a lease per record has no sessions");
        }
        removeExpired(nowNanos);
        return leases.open(leaseNanos, nowNanos).number;
    }

    /** Extends a session, or says that it is over. */
    public SessionRenewal renewSession(long session, long nowNanos) {
        removeExpired(nowNanos);
        Lease lease = leases.session(session);
        if (lease == null) {
            return SessionRenewal.gone();
        }
        lease.version++;
        leases.renew(lease, lease.leaseNanos, nowNanos);
        return SessionRenewal.renewed(Duration.ofNanos(lease.leaseNanos));
    }

    /** Ends a session; what it kept becomes vacant. No effect if it is over. */
    public void endSession(long session, long nowNanos) {
        removeExpired(nowNanos);
        Lease lease = leases.session(session);
        if (lease != null) {
            leases.end(lease);
            free(lease, nowNanos);
        }
    }

    /** When the next lease expires, unless it is renewed; {@link Long#MAX_VALUE} for never. Ignores lock-delays. */
    public long nextExpiryNanos() {
        return leases.nextExpiryNanos();
    }

    /**
     * Removes what has expired. Returns the keys that became vacant since the last call without a request at that key:
     * by expiry, or because their session ended. Leaves out keys that were taken again.
     */
    public List<Observation> expire(long nowNanos) {
        removeExpired(nowNanos);
        return rows.takeFreed();
    }

    /** As an operator, removes the record at {@code key}, unconditionally. Returns whether there was one. */
    public boolean delete(RecordKey key, long nowNanos) {
        removeExpired(nowNanos);
        Row row = rows.at(key);
        if (row == null || row.isVacant()) {
            return false;
        }
        vacate(row);
        return true;
    }

    /**
     * As an operator, ends the lease of the record at {@code key}: its own, or the session with everything it keeps.
     * Removes a record that has no lease. Returns whether there was a record.
     */
    public boolean endLease(RecordKey key, long nowNanos) {
        removeExpired(nowNanos);
        Row row = rows.at(key);
        if (row == null || row.isVacant()) {
            return false;
        }
        Lease lease = row.lease;
        if (lease == null) {
            vacate(row);
            rows.freed(row);
        } else {
            leases.end(lease);
            free(lease, nowNanos);
        }
        return true;
    }

    /**
     * As another program, overwrites {@code key} with a foreign record.
     *
     * @param lease how long it lives where the store expires leases; null for ever
     */
    public Observation overwriteForeign(RecordKey key, String shown, @Nullable Duration lease, long nowNanos) {
        removeExpired(nowNanos);
        Row row = rows.make(key, nowNanos);
        detach(row);
        row.clear(rows.nextRevision());
        row.renewedAt = row.version;
        row.token = Math.max(1, row.token);
        row.foreign = shown;
        row.foreignLease = lease;
        if (isRemoving && lease != null) {
            row.lease = leases.ofRow(row, lease.toNanos(), nowNanos);
        }
        return rows.shown(row);
    }

    private void removeExpired(long nowNanos) {
        for (Lease over = leases.endExpired(nowNanos); over != null; over = leases.endExpired(nowNanos)) {
            free(over, over.expiresAtNanos);
        }
    }

    /** Makes vacant what an ended lease kept. */
    private void free(Lease lease, long nowNanos) {
        Row own = lease.row;
        if (own != null) {
            if (lease.equals(own.claim)) {
                leases.endClaim(own);
            } else {
                freeRow(own, nowNanos);
            }
            return;
        }
        for (Row row : rows.all()) {
            if (lease.equals(row.lease)) {
                freeRow(row, nowNanos);
            }
        }
    }

    private void freeRow(Row row, long nowNanos) {
        // Where observers judge, the row of an ended session stays as it is and reads vacant.
        if (isRemoving && !options.renewsExpired()) {
            row.clear(rows.nextRevision());
            row.lockedUntilNanos = nowNanos + lockDelayNanos;
        }
        rows.freed(row);
    }

    private void vacate(Row row) {
        detach(row);
        row.clear(rows.nextRevision());
    }

    private void detach(Row row) {
        leases.endClaim(row);
        if (row.lease != null && row.equals(row.lease.row)) {
            leases.end(row.lease);
        }
    }

    /** Forgets vacant keys. No version or token that was seen can come again. */
    public void forgetVacant(long nowNanos) {
        rows.forgetVacant(nowNanos);
    }

    private WriteOutcome refused(RecordKey key) {
        return options.refusalShows() ? WriteOutcome.refused(rows.shown(key)) : WriteOutcome.refused();
    }
}
