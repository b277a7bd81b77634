package dev.mandate.engine;

/**
 * One reading of this machine's clocks.
 *
 * @param monotonicNanos never goes back; only differences have a meaning; may stand still while the
 *     machine is suspended
 * @param bootNanos like {@code monotonicNanos}, but goes on during a suspension; may be up to {@link
 *     LeaseWindow#BOOT_COARSE_NANOS} behind the truth
 * @param wallMillis since 1970; may step in either direction. Only ever used to end something <em>earlier</em>
 */
public record Now(long monotonicNanos, long bootNanos, long wallMillis) {
    /** The beginning of time: before every reading. */
    static final Now NEVER = new Now(Long.MIN_VALUE, 0, 0);

    /** This reading, but with the monotonic clock of {@code earlier} if that is ahead. */
    Now notBefore(Now earlier) {
        return monotonicNanos < earlier.monotonicNanos ? new Now(earlier.monotonicNanos, bootNanos, wallMillis) : this;
    }
}
