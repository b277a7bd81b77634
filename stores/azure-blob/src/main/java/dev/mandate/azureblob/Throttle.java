package dev.mandate.azureblob;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Until when the service asked us to back off. Only urgent requests, like renewals, are sent before. Thread-safe. */
final class Throttle {
    /**
     * Cap on what the service may ask for. A recovery is computed to wait for the last granted lease to end; a pause no
     * longer than the shortest lease never exceeds that.
     */
    static final Duration LONGEST = Records.LEASE_MIN;

    private final LongSupplier clock;
    private volatile long untilNanos;

    /** Uses a monotonic clock, in nanoseconds. */
    Throttle(LongSupplier clock) {
        this.clock = clock;
        this.untilNanos = clock.getAsLong();
    }

    /** An answer asked us to back off: {@code text} is its {@code Retry-After}, seconds or a date; null for none. */
    void told(@Nullable String text) {
        Duration wait = duration(text);
        if (!wait.isZero()) {
            untilNanos = clock.getAsLong() + wait.toNanos();
        }
    }

    private static Duration duration(@Nullable String text) {
        if (text == null) {
            return Duration.ZERO;
        }
        Duration asked = Duration.ZERO;
        if (text.matches("[0-9]{1,9}")) {
            asked = Duration.ofSeconds(Long.parseLong(text));
        } else {
            try {
                Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
                asked = Duration.between(Instant.now(), date);
            } catch (DateTimeException e) {
                // Unreadable: no pause.
            }
        }
        return asked.isNegative() ? Duration.ZERO : asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
    }

    /** The milliseconds left, rounded up; 0 for none. */
    long leftMillis() {
        return (Math.max(0, untilNanos - clock.getAsLong()) + 999_999) / 1_000_000;
    }
}
