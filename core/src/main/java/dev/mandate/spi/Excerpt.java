package dev.mandate.spi;

/** The beginning of what others wrote, short enough to be shown. */
public final class Excerpt {
    /** How much is shown of a value that another program wrote, in characters. */
    public static final int VALUE_MAX = 256;

    private static final String MORE = "…";

    private Excerpt() {}

    /**
     * In one line, for a sentence: without characters that a terminal would obey, and with an ellipsis where it was cut.
     *
     * @param max how many characters stay, 1 or more
     */
    public static String line(String text, int max) {
        return of(text.replaceAll("\\p{C}+", " ").strip(), max);
    }

    /** Unchanged but for its length: at most {@code max} characters (1 or more), and an ellipsis where it was cut, never within a character. */
    public static String of(String text, int max) {
        if (text.length() <= max) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
        return text.substring(0, end) + MORE;
    }
}
