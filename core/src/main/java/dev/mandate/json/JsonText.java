package dev.mandate.json;

/** Writes one JSON object. */
public final class JsonText {
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder text = new StringBuilder(256).append('{');

    /** Adds a field whose value is JSON already. */
    public void raw(String name, String json) {
        name(name);
        text.append(json);
    }

    /** Adds a field whose value is a string. */
    public void string(String name, String value) {
        name(name);
        quote(value);
    }

    /** Ends the object. */
    public String end() {
        return text.append('}').toString();
    }

    private void name(String name) {
        if (text.length() > 1) {
            text.append(',');
        }
        quote(name);
        text.append(':');
    }

    private void quote(String value) {
        text.append('"');
        int done = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (isPlain(c)) {
                continue;
            }
            text.append(value, done, i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c == '\n') {
                text.append("\\n");
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                pair(c, value.charAt(++i));
            } else if (isSafe(c)) {
                text.append(c);
            } else {
                escape(c);
            }
            done = i + 1;
        }
        text.append(value, done, value.length()).append('"');
    }

    private static boolean isPlain(char c) {
        return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
    }

    /** Format characters exist beyond the basic plane, too, such as invisible tags. */
    private void pair(char high, char low) {
        if (isVisible(Character.getType(Character.toCodePoint(high, low)))) {
            text.append(high).append(low);
        } else {
            escape(high);
            escape(low);
        }
    }

    private static boolean isSafe(char c) {
        return !Character.isSurrogate(c) && isVisible(Character.getType(c));
    }

    private static boolean isVisible(int type) {
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.UNASSIGNED;
    }

    private void escape(char c) {
        text.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            text.append(HEX.charAt(c >> shift & 0xF));
        }
    }
}
