package dev.mandate.spi;

/** The beginning of an untrusted text, short enough to show. */
public final class Excerpt {
    /** How many characters are shown of a value that another program wrote. */
    public static final int VALUE_MAX = 256;

    private static final String MORE = "…";

    private Excerpt() {}

    /**
     * The text in one line: without characters that a terminal would obey, and with an ellipsis where it was cut.
     *
     * @param max how many characters to keep, 1 or more
     */
    public static String line(String text, int max) {
        return of(text.replaceAll("\\p{C}+", " ").strip(), max);
    }

    /**
     * At most {@code max} characters (1 or more), otherwise unchanged. Ends in an ellipsis if it was cut, which never
     * splits a surrogate pair.
     */
    public static String of(String text, int max) {
        if (text.length() <= max) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
        return text.substring(0, end) + MORE;
    }
}
