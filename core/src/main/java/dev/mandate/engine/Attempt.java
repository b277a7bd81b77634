package dev.mandate.engine;

import dev.mandate.spi.Id;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One try to lead: what keeps its lease, and until when. A machine holds on to its newest attempt from its send until
 * it is refused, superseded or released; that attempt alone makes a record its own.
 */
final class Attempt {
    private final Id id;
    private final @Nullable SessionLease session;
    private @Nullable LeaseWindow window;
    private final long copiesUntilNanos;

    /** When to renew next, where each record has its own lease. */
    long renewAtNanos;
    /** How many renewals failed in a row. */
    int renewalFailed;
    /** Where each record has its own lease: when the newest write that may have prolonged it was sent. */
    long prolongedAtNanos;
    /** Where a session keeps it: when its release was first tried. */
    long releasedSinceNanos = Long.MAX_VALUE;
    /** When its term ends if no read shows its record. */
    long sightUntilNanos;

    /**
     * An attempt that is sent at {@code sentNanos}.
     *
     * @param session what keeps its lease, where sessions do
     * @param window what bounds it, where each record has its own lease: its newest grant
     * @param copiesUntilNanos until when something between the client and the store may send its acquire again
     */
    Attempt(
            Id id,
            @Nullable SessionLease session,
            @Nullable LeaseWindow window,
            long sentNanos,
            long copiesUntilNanos) {
        this.id = id;
        this.session = session;
        this.window = window;
        this.prolongedAtNanos = sentNanos;
        this.copiesUntilNanos = copiesUntilNanos;
    }

    Id id() {
        return id;
    }

    @Nullable
    SessionLease session() {
        return session;
    }

    @Nullable
    LeaseWindow window() {
        return window;
    }

    long copiesUntilNanos() {
        return copiesUntilNanos;
    }

    /** A grant, and when to renew it. */
    void granted(LeaseWindow newer, long nextRenewalAtNanos) {
        window = newer;
        renewAtNanos = nextRenewalAtNanos;
        renewalFailed = 0;
    }

    /** A renewal failed or granted nothing. */
    void renewLater(LeaseTiming timing, long nowNanos) {
        renewalFailed++;
        renewAtNanos = nowNanos + timing.renewalRetryNanos(renewalFailed);
    }

    /** Whether its session is over, so that what it did no longer counts. */
    boolean isOver() {
        return session != null && session.isOver();
    }

    /** The cell of a term that it wins. */
    LeaseCell cell() {
        return session != null ? session.cell() : new LeaseCell(Objects.requireNonNull(window));
    }

    /** A read, asked for then, shows its record. */
    void seen(long untilNanos) {
        sightUntilNanos = Math.max(sightUntilNanos, untilNanos);
    }
}
