package dev.mandate.support;

import dev.mandate.spi.StoreUrl;
import java.util.List;

/** Parameters of a store URL that have few values. */
public final class UrlChoices {
    private UrlChoices() {}

    /**
     * The value of a parameter.
     *
     * @param choices its values; the first is the default
     * @throws IllegalArgumentException if it has another
     */
    public static String of(StoreUrl url, String name, String... choices) {
        String choice = url.parameter(name).orElse(choices[0]);
        if (!List.of(choices).contains(choice)) {
            throw refused(name, choice, String.join(" or ", choices));
        }
        return choice;
    }

    /** Whether {@code format=raw}: the key holds the leader's value alone. The default is {@code format=json}. */
    public static boolean isRaw(StoreUrl url) {
        return of(url, "format", "json", "raw").equals("raw");
    }

    /** Refuses a parameter; {@code expected} completes "write …". */
    public static IllegalArgumentException refused(String name, String value, String expected) {
        return new IllegalArgumentException(
                "the parameter '" + name + "' of the store URL is '" + value + "'; write " + expected);
    }
}
