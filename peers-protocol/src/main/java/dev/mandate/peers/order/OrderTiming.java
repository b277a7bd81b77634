package dev.mandate.peers.order;

import dev.mandate.spi.Ordered;
import java.time.Duration;

/**
 * How long an order waits, in steps. Whatever is lost, a place is known or given up within {@link Order#STEPS_MAX}
 * steps: an instance without a place tries after as many.
 *
 * <table>
 * <caption>Waits</caption>
 * <tr><th>wait</th><th>steps</th><th>for</th></tr>
 * <tr><td>{@link #requestTimeoutNanos()}</td><td>2</td><td>bully: those named later to answer</td></tr>
 * <tr><td>{@link #coordinatorNanos()}</td><td>5</td><td>bully: COORDINATOR, from the start of the round</td></tr>
 * <tr><td>{@link #hopNanos()}</td><td>1</td><td>ring: a successor to confirm a token</td></tr>
 * <tr><td>{@link #lapNanos()}</td><td>3</td><td>ring: the announcement, before a token counts as lost</td></tr>
 * <tr><td>{@link #placeNanos()}</td><td>8</td><td>both: a place</td></tr>
 * </table>
 *
 * @param stepNanos L/50: what a place costs; 1 ns to a day
 */
public record OrderTiming(long stepNanos) {
    public OrderTiming {
        if (stepNanos < 1 || stepNanos > Duration.ofDays(1).toNanos()) {
            throw new IllegalArgumentException("a step is " + stepNanos + " ns; it must be between 1 ns and a day");
        }
    }

    /** The waits for a lease; a lease of less than 50 ns counts as one of 50 ns. */
    public static OrderTiming of(Duration lease) {
        return new OrderTiming(Math.max(1, lease.toNanos() / Ordered.STEPS_PER_LEASE));
    }

    /** Bully: how long to wait for the answers of members named later. */
    public long requestTimeoutNanos() {
        return 2 * stepNanos;
    }

    /** Bully: time from one round to the next, while members named later answer but none announces itself. */
    public long coordinatorNanos() {
        return 5 * stepNanos;
    }

    /** Ring: how long a successor may take to confirm a token. */
    public long hopNanos() {
        return stepNanos;
    }

    /** Ring: how long after its start a token counts as lost without an announcement. */
    public long lapNanos() {
        return 3 * stepNanos;
    }

    /** How long after the request a place is given up. */
    public long placeNanos() {
        return Order.STEPS_MAX * stepNanos;
    }
}
