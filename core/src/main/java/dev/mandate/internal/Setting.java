package dev.mandate.internal;

import dev.mandate.Guarantee;
import dev.mandate.Order;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.Durations;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings that every store shares, the common ones first: name in URLs and in the builder, type, default, bound
 * and meaning. URLs, the builder, {@code explain} and the table in the documentation all follow this one. {@code L} is
 * the lease.
 */
public enum Setting {
    LEASE("lease", Duration.ofSeconds(10), Bound.POSITIVE, "How long a term lives without renewal: L."),
    DRAIN_TIMEOUT("drainTimeout", "L/6", Bound.NOT_NEGATIVE, "How long work may take to stop."),
    REQUEST_TIMEOUT("requestTimeout", "L/15", Bound.POSITIVE, "How long to wait for the store's answer to a request."),
    CANDIDATE(
            "candidate",
            String.class,
            null,
            "host name and process id",
            "1 to 512 bytes",
            "The candidate's id for people. Not unique, never compared."),

    CONNECT_TIMEOUT(
            "connectTimeout",
            Duration.ofSeconds(10),
            Bound.NOT_NEGATIVE,
            "How long connecting waits for the store's first good answer; 0 to wait in the background."),
    REQUIRED_GUARANTEE("requiredGuarantee", Guarantee.ADVISORY, "Refuses a store that guarantees less."),
    ORDER("order", Order.RACE, "Who tries first when an election is vacant; not on stores with their own order."),
    RENEW_INTERVAL("renewInterval", "L/3", Bound.POSITIVE, "From the send of one renewal to the next."),
    RETRY_INTERVAL("retryInterval", "L/40", Bound.POSITIVE, "From a failed request to the next try; doubles."),
    POLL_INTERVAL(
            "pollInterval", "L/10", Bound.POSITIVE, "How often a waiting candidate reads the store, ±20 %; at most L."),
    RECORD_CHECK_INTERVAL(
            "recordCheckInterval",
            "30 s",
            Bound.POSITIVE,
            "How often a client lists all its records, where a session keeps the lease."),
    COOL_DOWN(
            "coolDown",
            "L/4",
            Bound.NOT_NEGATIVE,
            "The pause after a resignation, an eviction or failed work; doubles up to 6 L."),
    SPLAY("splay", "L/50", Bound.NOT_NEGATIVE, "The first read is delayed by a random part of this."),
    ON_OVERRUN("onOverrun", OverrunPolicy.RELEASE, "What happens to the lease when work outlives `drainTimeout`."),
    MAX_CLOCK_RATIO(
            "maxClockRatio",
            Double.class,
            1.1,
            "1.1",
            "1.0 to 2.0",
            "The greatest ratio of two machines' clock rates that is covered: q in formulas."),
    DEADLINE_MARGIN(
            "deadlineMargin", "L/100", Bound.NOT_NEGATIVE, "Subtracted from the deadline because clocks are coarse."),
    SETTLE("settle", Settle.AFTER_FOREIGN, "Which wins are announced only after a wait for the former leader to stop."),
    SETTLE_TIME(
            "settleTime",
            Duration.class,
            Duration.ZERO,
            "the longer of L and the foreign record's lease",
            Bound.NOT_NEGATIVE.words,
            "How long to settle after a record that another program wrote; 0 for the default."),
    REGISTRATION_LEASE(
            "registrationLease",
            "L, or 30 s if longer and the store ends leases",
            Bound.POSITIVE,
            "How long a registration lives without renewal; not where a session keeps the lease.");

    private enum Bound {
        POSITIVE("more than 0"),
        NOT_NEGATIVE("0 or more");

        private final String words;

        Bound(String words) {
            this.words = words;
        }
    }

    private final String word;
    private final Class<?> type;
    private final @Nullable Object standard;
    private final String standardWords;
    private final String bound;
    private final String meaning;

    Setting(String word, Duration standard, Bound bound, String meaning) {
        this(word, Duration.class, standard, standard.toSeconds() + " s", bound.words, meaning);
    }

    /** A duration whose default depends on others. */
    Setting(String word, String standardWords, Bound bound, String meaning) {
        this(word, Duration.class, null, standardWords, bound.words, meaning);
    }

    Setting(String word, Enum<?> standard, String meaning) {
        this(word, standard.getDeclaringClass(), standard, text(standard), choices(standard), meaning);
    }

    Setting(String word, Class<?> type, @Nullable Object standard, String standardWords, String bound, String meaning) {
        this.word = word;
        this.type = type;
        this.standard = standard;
        this.standardWords = standardWords;
        this.bound = bound;
        this.meaning = meaning;
    }

    private static String choices(Enum<?> one) {
        return Arrays.stream(one.getDeclaringClass().getEnumConstants())
                .map(Setting::text)
                .collect(Collectors.joining(", "));
    }

    /** The name in URLs and of the setter in the builder. */
    public String word() {
        return word;
    }

    /** Whether most users can leave it alone. */
    public boolean isAdvanced() {
        return compareTo(CANDIDATE) > 0;
    }

    /** What applies if it is not set, for people. */
    String standardWords() {
        return standardWords;
    }

    /** The values that are accepted, for people. */
    String bound() {
        return bound;
    }

    /** What it does, in a sentence. */
    String meaning() {
        return meaning;
    }

    /** The setting of that name. */
    public static Optional<Setting> named(String word) {
        return Arrays.stream(values()).filter(s -> s.word.equals(word)).findFirst();
    }

    static List<String> words() {
        return Arrays.stream(values()).map(Setting::word).toList();
    }

    /** The value in {@code given}, or else the default, if it has one that depends on nothing else. */
    Object required(Map<Setting, Object> given) {
        Object value = given.getOrDefault(this, standard);
        if (value == null) {
            throw new IllegalStateException(word + " has no default of its own");
        }
        return value;
    }

    /**
     * Reads a value from a URL.
     *
     * @throws IllegalArgumentException that names the setting, the value and what is expected
     */
    Object parse(String text) {
        if (type == Duration.class) {
            return accept(Durations.parse(word, text));
        } else if (type == Double.class) {
            return accept(number(text));
        } else if (type.isEnum()) {
            return choice(text);
        }
        return accept(text);
    }

    /**
     * Checks a value by itself; whether it fits the others is checked later.
     *
     * @throws IllegalArgumentException that names the setting, the value and the bound
     */
    Object accept(Object value) {
        if (value instanceof Duration duration) {
            Durations.bounded(word, duration);
            if (duration.isNegative() || duration.isZero() && bound.equals(Bound.POSITIVE.words)) {
                throw new IllegalArgumentException(word + " is " + text(duration) + "; it must be " + bound);
            }
        } else if (value instanceof String name) {
            RecordKey.requireName(word, name);
        }
        return value;
    }

    private double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(word + " is '" + text + "'; write a number such as 1.1", e);
        }
    }

    private Object choice(String text) {
        String wanted = text.toLowerCase(Locale.ROOT).replace('_', '-');
        for (Object choice : type.getEnumConstants()) {
            if (text(choice).equals(wanted)) {
                return choice;
            }
        }
        throw new IllegalArgumentException(word + " is '" + text + "'; it must be one of " + bound);
    }

    /** A value as a URL would have it. */
    static String text(Object value) {
        if (value instanceof Duration duration) {
            return Durations.text(duration);
        }
        return value instanceof Enum<?> choice
                ? choice.name().toLowerCase(Locale.ROOT).replace('_', '-')
                : value.toString();
    }
}
