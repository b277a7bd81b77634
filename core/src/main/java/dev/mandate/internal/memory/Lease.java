package dev.mandate.internal.memory;

import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/** Something that is renewed: a session, or the lease of one record. */
final class Lease implements Comparable<Lease> {
    /** Unique in the store; the number of a session. */
    final long number;
    /** The one row it keeps; null for a session, which keeps all rows that name it. */
    final @Nullable Row row;

    long leaseNanos;
    /** Rises with every renewal. */
    long version = 1;

    long expiresAtNanos = Long.MAX_VALUE;
    boolean isOver;
    private long queuedAtNanos;
    private boolean isQueued;

    Lease(long number, @Nullable Row row) {
        this.number = number;
        this.row = row;
    }

    /** Moves the expiry; touches {@code queue} only if the expiry is now earlier, so that renewing is cheap. */
    void expireAt(long nanos, NavigableSet<Lease> queue) {
        expiresAtNanos = nanos;
        if (!isQueued || nanos < queuedAtNanos) {
            queue.remove(this);
            queuedAtNanos = nanos;
            isQueued = queue.add(this);
        }
    }

    /** Its time in the queue: never after its expiry. */
    long queuedAtNanos() {
        return queuedAtNanos;
    }

    void end(NavigableSet<Lease> queue) {
        isOver = true;
        queue.remove(this);
    }

    /** The lease that expires first, or null. */
    static @Nullable Lease first(NavigableSet<Lease> queue) {
        while (!queue.isEmpty()) {
            Lease lease = queue.first();
            if (lease.queuedAtNanos == lease.expiresAtNanos) {
                return lease;
            }
            queue.remove(lease);
            lease.queuedAtNanos = lease.expiresAtNanos;
            queue.add(lease);
        }
        return null;
    }

    @Override
    public int compareTo(Lease other) {
        int byTime = Long.compare(queuedAtNanos, other.queuedAtNanos);
        return byTime != 0 ? byTime : Long.compare(number, other.number);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
