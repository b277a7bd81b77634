package dev.mandate.azureblob;

import java.util.Locale;

/**
 * JSON that fits an HTTP header, in which metadata travels: visible ASCII without two spaces in a row, because
 * signatures are computed over headers with folded spaces. Everything else becomes JSON escapes, so parsers
 * read the same.
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
            // Outside strings it is insignificant whitespace and left out.
            boolean isQuote = c == '"' && !isEscaped;
            isEscaped = isString && c == '\\' && !isEscaped;
            isString ^= isQuote;
        }
        return text.toString();
    }
}
