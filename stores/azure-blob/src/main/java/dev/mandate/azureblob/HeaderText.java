package dev.mandate.azureblob;

import java.util.Locale;

/**
 * JSON as it can stand in a header of HTTP, which metadata is: visible ASCII, and never two blanks in a row, because signatures are made over
 * headers with their blanks folded. Everything else is written as JSON's own escapes, so that a reader of JSON reads the same.
 */
final class HeaderText {
    private HeaderText() {}

    static String of(String json) {
        StringBuilder text = new StringBuilder(json.length() + 16);
        boolean isString = false;
        boolean isEscaped = false;
        char last = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            boolean isSafe = c >= ' ' && c < 0x7F && !(c == ' ' && last == ' ');
            if (isSafe) {
                text.append(c);
                last = c;
            } else if (isString) {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                last = 0;
            }
            // Elsewhere it is space between tokens, which means nothing.
            boolean isQuote = c == '"' && !isEscaped;
            isEscaped = isString && c == '\\' && !isEscaped;
            isString ^= isQuote;
        }
        return text.toString();
    }
}
