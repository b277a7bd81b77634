package dev.mandate.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Collects durations in nanoseconds; gives quantiles in milliseconds. */
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

    /** How many are at most {@code most}. */
    long within(Duration most) {
        return Arrays.stream(nanos, 0, count)
                .filter(sample -> sample <= most.toNanos())
                .count();
    }

    /** The median, with {@code note}, and the 99th percentile, each beside that of {@code floor}. */
    List<Figure> figures(String name, Samples floor, String note) {
        return List.of(
                Figure.of(name + " p50", millis(0.5), "ms")
                        .beside(floor.millis(0.5))
                        .noting(note),
                Figure.of(name + " p99", millis(0.99), "ms").beside(floor.millis(0.99)));
    }

    /** The smallest sample that at least a share {@code p} of all do not exceed, in milliseconds. */
    double millis(double p) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        int at = (int) Math.ceil(p * count) - 1;
        return sorted[Math.max(0, Math.min(count - 1, at))] / 1e6;
    }
}
