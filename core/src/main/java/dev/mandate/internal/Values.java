package dev.mandate.internal;

import dev.mandate.spi.StoreTraits;
import java.nio.charset.StandardCharsets;

/** Checks values that leaders publish. */
final class Values {
    private Values() {}

    /**
     * Refuses, before any call, a value that the store cannot take.
     *
     * @throws IllegalArgumentException that names the problem and the bound, and does not quote the value
     */
    static String require(String value, StoreTraits traits) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw new IllegalArgumentException(
                        "value has half a surrogate pair at position " + i + "; it cannot be written as UTF-8");
            }
        }
        int most = traits.valueBytesMax();
        if (value.length() > most || value.getBytes(StandardCharsets.UTF_8).length > most) {
            throw new IllegalArgumentException("value has " + value.length() + " characters; " + traits.name()
                    + " takes at most " + most + " bytes of UTF-8");
        }
        return value;
    }
}
