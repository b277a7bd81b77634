package dev.mandate.simulator.world;

/** The times of the last few requests to prolong a lease, on their sender's monotonic clock. */
final class Tries {
    private final long[] sentNanos = new long[8];
    private int count;

    void sent(long nanos) {
        sentNanos[count++ & 7] = nanos;
    }

    /** How many of the last requests were sent after {@code nanos}. */
    int since(long nanos) {
        int since = 0;
        for (int i = Math.max(0, count - sentNanos.length); i < count; i++) {
            since += sentNanos[i & 7] > nanos ? 1 : 0;
        }
        return since;
    }
}
