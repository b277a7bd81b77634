package dev.mandate.spi;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * A random 128-bit identifier: an incarnation (one per opened client) or an attempt (one per try to acquire).
 *
 * <p>Its text form is 32 lower-case hexadecimal digits. Two random identifiers never collide in practice. They have no
 * other meaning and no order.
 */
public record Id(long high, long low) {
    private static final int TEXT_LENGTH = 32;

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    /** The identifier of nobody: all zero. Never drawn for a candidate. */
    public static final Id NONE = new Id(0, 0);

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if {@code text} is not exactly 32 hexadecimal digits
     */
    public static Id parse(String text) {
        OptionalLong high = hex(text, 0);
        OptionalLong low = hex(text, 16);
        if (text.length() != TEXT_LENGTH || high.isEmpty() || low.isEmpty()) {
            throw new IllegalArgumentException("an identifier is 32 hexadecimal digits, not '" + text + "'");
        }
        return new Id(high.getAsLong(), low.getAsLong());
    }

    private static OptionalLong hex(String text, int from) {
        if (text.length() < from + 16) {
            return OptionalLong.empty();
        }
        long value = 0;
        for (int i = from; i < from + 16; i++) {
            char c = text.charAt(i);
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return OptionalLong.empty();
            }
            value = value << 4 | digit;
        }
        return OptionalLong.of(value);
    }

    /** The 32 digits. */
    @Override
    public String toString() {
        byte[] text = new byte[TEXT_LENGTH];
        write(high, text, 0);
        write(low, text, TEXT_LENGTH / 2);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private static void write(long half, byte[] text, int from) {
        long left = half;
        for (int i = from + TEXT_LENGTH / 2 - 1; i >= from; i--) {
            text[i] = DIGITS[(int) left & 0xF];
            left >>>= 4;
        }
    }
}
