package dev.mandate.engine;

/**
 * How long the holder of a record had given no sign of life when its end was seen.
 *
 * @param leastNanos at least: from when its last renewal was first seen to the last request that showed no later one
 * @param seenNanos from when its last renewal was first seen until its end was seen
 * @param mostNanos at most: from the last request that did not show that renewal yet until the end was seen
 */
public record Silence(long leastNanos, long seenNanos, long mostNanos) {
    /** No renewal was seen. */
    public static final Silence UNSEEN = new Silence(0, 0, Long.MAX_VALUE);
}
