package dev.mandate.console;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations as in store URLs, {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, and writes them for people. */
public final class Durations implements ITypeConverter<Duration> {
    private static final int DIGITS_MAX = 9;
    /** The same limit as in store URLs. */
    private static final Duration MAX = Duration.ofDays(365);

    @Override
    public Duration convert(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        if (digits == 0 || digits > DIGITS_MAX) {
            throw notOne(text);
        }
        long count = Long.parseLong(text.substring(0, digits));
        Duration duration = switch (text.substring(digits)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> throw notOne(text);
        };
        if (duration.compareTo(MAX) > 0) {
            throw new TypeConversionException("'" + text + "' is too long; give at most 365 days");
        }
        return duration;
    }

    private static TypeConversionException notOne(String text) {
        return new TypeConversionException("'" + text + "' is not a duration; write it like 500ms, 10s, 2m or 1h");
    }

    /** Parses a setting's value from {@code explain()} if it is a duration: {@code 666ms}, {@code 666666us}. */
    public static Optional<Duration> setting(String value) {
        return value.matches("[0-9]+(us|ms|s|m|h)")
                ? Optional.of(dev.mandate.spi.Durations.parse("a setting", value))
                : Optional.empty();
    }

    /** {@code 0.4 ms}, {@code 12 ms}, {@code 1.25 s}, {@code 10 s}, {@code 3 min 5 s}, {@code 2 h 4 min}. */
    public static String words(Duration d) {
        if (d.isNegative()) {
            return "-" + words(d.negated());
        }
        long millis = d.toMillis();
        if (millis < 10) {
            return d.isZero() ? "0 s" : String.format(Locale.ROOT, "%.2g ms", d.toNanos() / 1e6);
        }
        if (millis < 1000) {
            return Math.round(d.toNanos() / 1e6) + " ms";
        }
        if (millis < 60_000) {
            return millis % 1000 == 0 ? millis / 1000 + " s" : String.format(Locale.ROOT, "%.2f s", millis / 1000.0);
        }
        // Rounds up: it may be a bound.
        long seconds = (millis + 999) / 1000;
        long minutes = (seconds + 59) / 60;
        return seconds < 3600
                ? seconds / 60 + " min " + seconds % 60 + " s"
                : minutes / 60 + " h " + minutes % 60 + " min";
    }
}
