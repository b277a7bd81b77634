package dev.mandate.spi;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Durations as people write them in URLs: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}. */
public final class Durations {
    /** Longer ones are typing errors, and would overflow the arithmetic. */
    public static final Duration MAX = Duration.ofDays(365);

    private static final int DIGITS_MAX = 12;

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @param name how messages call it
     * @throws IllegalArgumentException that names it, its text and how to write it
     */
    public static Duration parse(String name, String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        long unitMicros = switch (text.substring(digits)) {
            case "us" -> 1; // as text() writes what follows from a lease
            case "ms" -> 1_000;
            case "s" -> 1_000_000;
            case "m" -> 60_000_000;
            case "h" -> 3_600_000_000L;
            default -> 0;
        };
        if (unitMicros == 0 || digits == 0 || digits > DIGITS_MAX) {
            throw new IllegalArgumentException(
                    name + " is '" + text + "'; write a duration as 500ms, 10s, 2m or 1h, without fractions");
        }
        long count = Long.parseLong(text.substring(0, digits));
        if (count > TimeUnit.MILLISECONDS.toMicros(MAX.toMillis()) / unitMicros) {
            throw new IllegalArgumentException(name + " is '" + text + "'; it must be at most 365 days");
        }
        return Duration.of(count * unitMicros, ChronoUnit.MICROS);
    }

    /**
     * {@code value}, if the arithmetic can hold it.
     *
     * @throws IllegalArgumentException that names it, its value and the bound
     */
    public static Duration bounded(String name, Duration value) {
        if (value.compareTo(MAX) > 0 || value.compareTo(MAX.negated()) < 0) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be at most 365 days");
        }
        return value;
    }

    /**
     * {@code value}, if it is not negative and the arithmetic can hold it.
     *
     * @throws IllegalArgumentException that names it, its value and the bound
     */
    public static Duration notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must not be negative");
        }
        return bounded(name, value);
    }

    /** The duration as written in a URL, rounded down to whole microseconds. */
    public static String text(Duration value) {
        long nanos = value.toNanos();
        if (nanos % 1_000_000 != 0) {
            return nanos / 1_000 + "us";
        }
        long millis = nanos / 1_000_000;
        if (millis % 1_000 != 0 || millis == 0) {
            return millis + "ms";
        }
        long seconds = millis / 1_000;
        return seconds % 3_600 == 0 ? seconds / 3_600 + "h" : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }
}
