package dev.mandate.simulator.check;

import dev.mandate.engine.LeaseTiming;
import java.util.function.IntToLongFunction;

/**
 * How a client's settings space its requests, in nanoseconds, computed from their documentation and not by the engine.
 *
 * @param retry after any failure, at least
 * @param poll from one look at a key to the next, before jitter
 * @param renew from one renewal to the next
 * @param recordCheck from one listing to the next, before jitter
 * @param fault after a permanent fault, before jitter
 * @param coolDownMost the longest wait that a store may ask of a client
 */
public record Spacing(long retry, long poll, long renew, long recordCheck, long fault, long coolDownMost) {
    private static final int DOUBLINGS_MAX = 20;

    /** Those of {@code timing}. */
    public static Spacing of(LeaseTiming timing) {
        return new Spacing(
                timing.retryIntervalNanos(),
                timing.pollIntervalNanos(),
                timing.renewIntervalNanos(),
                timing.recordCheckIntervalNanos(),
                timing.faultRetryNanos(),
                timing.coolDownNanos(Integer.MAX_VALUE));
    }

    /** What jitter leaves of {@code nanos} at least: four fifths. */
    static long least(long nanos) {
        return nanos - nanos / 5;
    }

    /** The least pause after an answered look. A client awaiting only its late record looks as often as leaders do. */
    long look() {
        return least(Math.min(poll, recordCheck));
    }

    /**
     * The least pause after so many failures: {@code retryInterval}, doubled for each further one, up to {@code usual}.
     */
    public IntToLongFunction upTo(long usual) {
        return failures -> Math.max(retry, least(Math.min(doubled(failures - 1), usual)));
    }

    /**
     * The least pause after so many failed renewals: {@code retryInterval} twice, so three fit; then doubled, up to a
     * poll.
     */
    public IntToLongFunction ofRenewals() {
        return failures -> Math.min(doubled(failures - 2), Math.max(retry, poll));
    }

    /** The least pause after so many refusals in a row: two races lost to another holder cost nothing. */
    long afterRefusals(int refusals, boolean byHolder) {
        return byHolder && refusals <= 2 ? 0 : Math.min(poll, doubled(Math.min(refusals, 10))) / 2;
    }

    private long doubled(int times) {
        return retry << Math.min(Math.max(times, 0), DOUBLINGS_MAX);
    }
}
