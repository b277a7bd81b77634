package dev.mandate.engine;

/**
 * How long the holder of a record had given no sign of life when it was seen that it had gone.
 *
 * @param leastNanos so long at least: from when its last renewal was first seen to when the store was last asked and
 *     showed no later one
 * @param seenNanos from when its last renewal was first seen until its end was
 * @param mostNanos so long at most: from when the store was last asked and did not show that renewal yet, until the end
 *     was seen
 */
public record Silence(long leastNanos, long seenNanos, long mostNanos) {
    /** No renewal was seen. */
    public static final Silence UNSEEN = new Silence(0, 0, Long.MAX_VALUE);
}
