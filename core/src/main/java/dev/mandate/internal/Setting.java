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
import java.util.Optional;

/** A setting that every store shares, by its name in URLs and in the builder. */
enum Setting {
    CANDIDATE("candidate", String.class),
    LEASE("lease", Duration.class),
    Q("q", Double.class),
    GUARD("guard", Duration.class),
    RENEW("renew", Duration.class),
    ANSWER("answer", Duration.class),
    RETRY("retry", Duration.class),
    DRAIN("drain", Duration.class),
    POLL("poll", Duration.class),
    LEADER_POLL("leaderPoll", Duration.class),
    SPLAY("splay", Duration.class),
    COOL_DOWN("coolDown", Duration.class),
    REGISTRATION_LEASE("registrationLease", Duration.class),
    ORDER("order", Order.class),
    SETTLE("settle", Settle.class),
    SETTLE_FOREIGN("settleForeign", Duration.class),
    ON_OVERRUN("onOverrun", OverrunPolicy.class),
    REQUIRE("require", Guarantee.class),
    STARTUP("startup", Duration.class);

    private final String word;
    private final Class<?> type;

    Setting(String word, Class<?> type) {
        this.word = word;
        this.type = type;
    }

    /** The name in URLs. */
    String word() {
        return word;
    }

    static Optional<Setting> named(String word) {
        return Arrays.stream(values()).filter(s -> s.word.equals(word)).findFirst();
    }

    static List<String> words() {
        return Arrays.stream(values()).map(Setting::word).toList();
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
            if (duration.isNegative()) {
                throw new IllegalArgumentException(word + " is " + duration + "; it must not be negative");
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
        String wanted = text.toUpperCase(Locale.ROOT).replace('-', '_');
        Object[] choices = type.getEnumConstants();
        for (Object choice : choices) {
            if (((Enum<?>) choice).name().equals(wanted)) {
                return choice;
            }
        }
        List<String> known = Arrays.stream(choices).map(Setting::text).toList();
        throw new IllegalArgumentException(word + " is '" + text + "'; it must be one of " + String.join(", ", known));
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
