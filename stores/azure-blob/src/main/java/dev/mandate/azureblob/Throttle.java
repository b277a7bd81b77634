package dev.mandate.azureblob;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Until when the service asked to be left alone. What can wait is not sent before; renewals and releases can't. Thread-safe. */
final class Throttle {
    /**
     * The service may say anything. What is computed for a recovery waits until a lease is over that was granted last: nobody waits longer than the
     * shortest one because of this, and so not longer than computed.
     */
    static final Duration LONGEST = AzureBlobElectionStore.LEASE_MIN;

    private final LongSupplier clock;
    private volatile long untilNanos;

    /** {@code clock} is monotonic, in nanoseconds. */
    Throttle(LongSupplier clock) {
        this.clock = clock;
        this.untilNanos = clock.getAsLong();
    }

    /** An answer said to come back later: {@code text} is the header {@code Retry-After}, seconds or a date; null for none. */
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
                // Said to nobody.
            }
        }
        return asked.isNegative() ? Duration.ZERO : asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
    }

    /** How many milliseconds are left, rounded up; 0 for none. */
    long leftMillis() {
        return (Math.max(0, untilNanos - clock.getAsLong()) + 999_999) / 1_000_000;
    }
}
