package dev.mandate.simulator.check;

import dev.mandate.engine.LeaseTiming;
import java.util.function.IntToLongFunction;

/**
 * How a client is set to space what it asks for, in nanoseconds: what is documented of these settings, reckoned apart from the engine.
 *
 * @param retry after anything that failed, at the least
 * @param poll from one look at a key to the next, before jitter
 * @param renew from one renewal to the next
 * @param leaderPoll from one listing to the next, before jitter
 * @param fault after a permanent fault, before jitter
 * @param coolDownMost what a store may make a client wait at the most
 */
public record Spacing(long retry, long poll, long renew, long leaderPoll, long fault, long coolDownMost) {
    private static final int DOUBLINGS_MAX = 20;

    /** What {@code timing} says. */
    public static Spacing of(LeaseTiming timing) {
        return new Spacing(
                timing.retryNanos(),
                timing.pollNanos(),
                timing.renewNanos(),
                timing.leaderPollNanos(),
                timing.faultRetryNanos(),
                timing.coolDownNanos(Integer.MAX_VALUE));
    }

    /** What jitter may leave of {@code nanos}: four fifths. */
    static long least(long nanos) {
        return nanos - nanos / 5;
    }

    /** The least pause after a look that was answered. Whoever only waits for a late record of its own looks as often as leaders do. */
    long look() {
        return least(Math.min(poll, leaderPoll));
    }

    /** The least pause after so many failures in a row: {@code retry}, doubled after each further one, up to what is usual. */
    public IntToLongFunction upTo(long usual) {
        return failures -> Math.max(retry, least(Math.min(doubled(failures - 1), usual)));
    }

    /** The least pause after so many failed renewals in a row: twice {@code retry} itself, so that three tries fit; then doubled, up to a poll. */
    public IntToLongFunction ofRenewals() {
        return failures -> Math.min(doubled(failures - 2), Math.max(retry, poll));
    }

    /** The least pause after so many refusals in a row: losing a race to another holder is free twice. */
    long afterRefusals(int refusals, boolean byHolder) {
        return byHolder && refusals <= 2 ? 0 : Math.min(poll, doubled(Math.min(refusals, 10))) / 2;
    }

    private long doubled(int times) {
        return retry << Math.min(Math.max(times, 0), DOUBLINGS_MAX);
    }
}
