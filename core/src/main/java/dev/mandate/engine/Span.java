package dev.mandate.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One duration of a {@link LeaseTiming}: the given value or its default; and its text in messages. */
final class Span {
    /** No duration may be longer, so that sums never overflow. */
    static final Duration LONGEST = Duration.ofDays(365);

    private static final long SECOND = 1_000_000_000L;

    private Span() {}

    /** {@code given} in nanoseconds, or {@code otherwise}; refuses 0 and what {@link #notNegative} refuses. */
    static long positive(String name, @Nullable Duration given, long otherwise) {
        if (notNegative(name, given, otherwise) == 0) {
            throw new IllegalArgumentException(name + " is 0 s; it must be more than 0");
        }
        return given == null ? otherwise : given.toNanos();
    }

    /**
     * {@code given} in nanoseconds, or {@code otherwise}; refuses negative values and more than a
     * year, by {@code name}.
     */
    static long notNegative(String name, @Nullable Duration given, long otherwise) {
        if (given == null) {
            return otherwise;
        }
        if (given.isNegative()) {
            throw new IllegalArgumentException(name + " is " + given + "; it must not be negative");
        }
        if (given.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + given + "; it must be at most " + LONGEST.toDays() + " days");
        }
        return given.toNanos();
    }

    /** In the largest unit that shows it whole. */
    static String text(long nanos) {
        if (nanos % SECOND == 0) {
            return nanos / SECOND + " s";
        }
        if (nanos % 1_000_000 == 0) {
            return nanos / 1_000_000 + " ms";
        }
        long micros = nanos / 1_000;
        return micros < 1_000_000
                ? micros + " us"
                : micros / 1_000_000 + "."
                        + String.valueOf(1_000_000 + micros % 1_000_000).substring(1) + " s";
    }
}
