package dev.mandate.internal.memory;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.StoreTraits;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All leases of a {@link ModelStore}: its sessions by number, and everything that expires, by time. */
final class Leases {
    private final boolean isRemoving;
    private final double factor;
    private final long slackNanos;
    private final long minNanos;
    private final long maxNanos;
    private final long stepNanos;

    private final Map<Long, Lease> sessions = new HashMap<>();
    private final NavigableSet<Lease> expiring = new TreeSet<>();
    private long made;

    Leases(StoreTraits traits) {
        this.isRemoving = traits.expiry() == Expiry.STORE_REMOVES;
        this.factor = traits.expiryFactor();
        this.slackNanos = traits.expirySlack().toNanos();
        this.minNanos = traits.leaseMin().toNanos();
        this.maxNanos = traits.leaseMax().toNanos();
        this.stepNanos = traits.leaseStep().toNanos();
    }

    long grantedNanos(long leaseNanos) {
        long wanted = Math.max(minNanos, Math.min(maxNanos, leaseNanos));
        long over = wanted % stepNanos;
        return over == 0 ? wanted : Math.min(maxNanos, wanted + stepNanos - over);
    }

    Lease open(long leaseNanos, long nowNanos) {
        Lease session = new Lease(++made, null);
        sessions.put(session.number, session);
        renew(session, leaseNanos, nowNanos);
        return session;
    }

    /** The session of that number, or null if it is over or never existed. */
    @Nullable
    Lease session(long number) {
        return sessions.get(number);
    }

    Lease ofRow(Row row, long leaseNanos, long nowNanos) {
        Lease lease = new Lease(++made, row);
        renew(lease, leaseNanos, nowNanos);
        return lease;
    }

    void claim(Row row, Id attempt, long leaseNanos, long nowNanos) {
        row.claim = ofRow(row, leaseNanos, nowNanos);
        row.claimant = attempt;
    }

    void endClaim(Row row) {
        if (row.claim != null) {
            end(row.claim);
        }
        row.claim = null;
        row.claimant = null;
    }

    void renew(Lease lease, long leaseNanos, long nowNanos) {
        lease.leaseNanos = grantedNanos(leaseNanos);
        if (isRemoving) {
            long stretched = factor == 1.0 ? lease.leaseNanos : (long) Math.ceil(lease.leaseNanos * factor);
            lease.expireAt(nowNanos + stretched + slackNanos, expiring);
        }
    }

    void end(Lease lease) {
        lease.end(expiring);
        if (lease.row == null) {
            sessions.remove(lease.number);
        }
    }

    long nextExpiryNanos() {
        Lease first = Lease.first(expiring);
        return first == null ? Long.MAX_VALUE : first.expiresAtNanos;
    }

    /** Ends and returns the first lease that has expired by {@code nowNanos}, or null. */
    @Nullable
    Lease endExpired(long nowNanos) {
        // Leases are queued no later than they expire, so one look nearly always suffices.
        if (expiring.isEmpty() || expiring.first().queuedAtNanos() > nowNanos) {
            return null;
        }
        Lease first = Lease.first(expiring);
        if (first == null || first.expiresAtNanos > nowNanos) {
            return null;
        }
        end(first);
        return first;
    }
}
