package dev.mandate.json;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A strict reader of one JSON object, by RFC 8259, bounded in size and depth. Its messages quote no content. */
public final class JsonReader {
    /** The longest text that is read or written, in characters: 1 MiB. */
    public static final int CHARS_MAX = 1 << 20;

    /** How deep values may be nested. */
    public static final int DEPTH_MAX = 32;

    private final String text;
    private int at;

    /** A reader of {@code text}, at its beginning. */
    public JsonReader(String text) {
        if (text.length() > CHARS_MAX) {
            throw new IllegalArgumentException(
                    "the record has " + text.length() + " characters; the limit is " + CHARS_MAX);
        }
        this.text = text;
    }

    /** A field's value: raw JSON and, if it is a string, its content. */
    public record Value(String raw, @Nullable String content) {
        /**
         * The content of the string.
         *
         * @throws IllegalArgumentException that names {@code what}, if the value is no string
         */
        public String string(String what) {
            if (content == null) {
                throw new IllegalArgumentException(what + " must be a string");
            }
            return content;
        }
    }

    /** Returns {@code raw}, without surrounding blanks, if it is one JSON value. */
    public static String checked(String raw, String name) {
        try {
            JsonReader reader = new JsonReader(raw);
            reader.skipBlanks();
            Value value = reader.value(1);
            reader.end();
            return value.raw();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("unknown field '" + name + "' of the record: " + e.getMessage(), e);
        }
    }

    /** Reads the whole text as an object and passes its fields on in order. */
    public void object(BiConsumer<String, Value> field) {
        skipBlanks();
        members(1, field);
        end();
    }

    private void end() {
        skipBlanks();
        if (at < text.length()) {
            throw expected("the end");
        }
    }

    private void members(int depth, BiConsumer<String, Value> field) {
        Set<String> seen = new HashSet<>();
        need('{');
        skipBlanks();
        if (skip('}')) {
            return;
        }
        do {
            skipBlanks();
            int start = at;
            String name = string();
            if (!seen.add(name)) {
                throw new IllegalArgumentException("the record has a field twice, at position " + start);
            }
            skipBlanks();
            need(':');
            skipBlanks();
            field.accept(name, value(depth + 1));
            skipBlanks();
        } while (skip(','));
        need('}');
    }

    private Value value(int depth) {
        if (depth > DEPTH_MAX) {
            throw new IllegalArgumentException(
                    "the record is nested deeper than " + DEPTH_MAX + " levels at position " + at);
        }
        int start = at;
        String content = null;
        switch (at < text.length() ? text.charAt(at) : ' ') {
            case '{' -> members(depth, (name, value) -> {});
            case '[' -> elements(depth);
            case '"' -> content = string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
        return new Value(text.substring(start, at), content);
    }

    private void elements(int depth) {
        need('[');
        skipBlanks();
        if (skip(']')) {
            return;
        }
        do {
            skipBlanks();
            value(depth + 1);
            skipBlanks();
        } while (skip(','));
        need(']');
    }

    private void word(String word) {
        if (!text.startsWith(word, at)) {
            throw expected("a value");
        }
        at += word.length();
    }

    private void number() {
        skip('-');
        if (!skip('0')) {
            digits();
        }
        if (skip('.')) {
            digits();
        }
        if (skip('e') || skip('E')) {
            if (!skip('+')) {
                skip('-');
            }
            digits();
        }
    }

    private void digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw expected("a value");
        }
    }

    private String string() {
        need('"');
        StringBuilder content = new StringBuilder();
        while (!skip('"')) {
            if (at == text.length()) {
                throw expected("'\"'");
            }
            char c = text.charAt(at);
            if (c < ' ' || isHalf(c)) {
                throw expected("an escaped character");
            }
            at++;
            if (c == '\\') {
                content.append(escaped());
            } else {
                content.append(c);
                if (Character.isHighSurrogate(c)) {
                    content.append(text.charAt(at++));
                }
            }
        }
        return content.toString();
    }

    /** Whether {@code c}, the character at this position, is a surrogate without its other half. */
    private boolean isHalf(char c) {
        return Character.isLowSurrogate(c)
                || Character.isHighSurrogate(c)
                        && (at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1)));
    }

    private char escaped() {
        char c = at < text.length() ? text.charAt(at++) : ' ';
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> {
                at--;
                throw expected("an escape");
            }
        };
    }

    private char unicode() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            char c = at < text.length() ? text.charAt(at) : ' ';
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw expected("a hexadecimal digit");
            }
            value = value << 4 | digit;
            at++;
        }
        return (char) value;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean skip(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void need(char c) {
        if (!skip(c)) {
            throw expected("'" + c + "'");
        }
    }

    private IllegalArgumentException expected(String what) {
        String found = "the end";
        if (at < text.length()) {
            char c = text.charAt(at);
            found = c > ' ' && c < 0x7F ? "'" + c + "'" : String.format(Locale.ROOT, "U+%04X", (int) c);
        }
        return new IllegalArgumentException(
                "the record is not valid JSON: expected " + what + " at position " + at + ", found " + found);
    }
}
