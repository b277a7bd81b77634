package dev.mandate.cli.bench;

import java.time.Duration;
import java.util.Arrays;

/** Durations in nanoseconds, as milliseconds in order. */
final class Samples {
    private final long[] nanos;
    private int count;

    Samples(int capacity) {
        this.nanos = new long[capacity];
    }

    void add(long sample) {
        nanos[count++] = sample;
    }

    int count() {
        return count;
    }

    /** How many are {@code most} at the most. */
    long within(Duration most) {
        return Arrays.stream(nanos, 0, count)
                .filter(sample -> sample <= most.toNanos())
                .count();
    }

    /** The smallest sample that is not below the share {@code p} of all; in milliseconds. */
    double millis(double p) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        int at = (int) Math.ceil(p * count) - 1;
        return sorted[Math.max(0, Math.min(count - 1, at))] / 1e6;
    }
}
