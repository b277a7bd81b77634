package dev.mandate.nats;

import io.nats.client.support.JsonParseException;
import io.nats.client.support.JsonParser;
import io.nats.client.support.JsonValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON object of a server or context file. Fields that are missing or of another type read as empty, 0 or false. */
final class Json {
    private static final Json EMPTY = new Json(Map.of());

    private final Map<String, JsonValue> fields;

    private Json(Map<String, JsonValue> fields) {
        this.fields = fields;
    }

    /**
     * Parses a text.
     *
     * @throws IllegalArgumentException if it is not an object; the message quotes nothing of it
     */
    static Json read(byte[] text) {
        try {
            Map<String, JsonValue> fields = JsonParser.parse(new String(text, StandardCharsets.UTF_8)).map;
            if (fields != null) {
                return new Json(fields);
            }
        } catch (JsonParseException | RuntimeException e) {
            // Thrown below: the parser's message may quote the text.
        }
        throw new IllegalArgumentException("not an object of JSON");
    }

    private @Nullable JsonValue field(String name) {
        return fields.get(name);
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    Set<String> names() {
        return fields.keySet();
    }

    String text(String name) {
        JsonValue value = field(name);
        return value == null || value.string == null ? "" : value.string;
    }

    long number(String name) {
        JsonValue value = field(name);
        return value == null || value.number == null ? 0 : value.number.longValue();
    }

    boolean flag(String name) {
        JsonValue value = field(name);
        return value != null && Boolean.TRUE.equals(value.bool);
    }

    /** A duration, given in nanoseconds. */
    Duration duration(String name) {
        return Duration.ofNanos(number(name));
    }

    /** A nested object; empty if there is none. */
    Json object(String name) {
        JsonValue value = field(name);
        return value == null || value.map == null ? EMPTY : new Json(value.map);
    }

    /** The size of that list. */
    int size(String name) {
        JsonValue value = field(name);
        return value == null || value.array == null ? 0 : value.array.size();
    }

    /** An object of that list. */
    Json element(String name, int at) {
        JsonValue value = field(name);
        Map<String, JsonValue> inside = value == null || value.array == null ? null : value.array.get(at).map;
        return inside == null ? EMPTY : new Json(inside);
    }
}
