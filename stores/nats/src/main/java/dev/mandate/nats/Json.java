package dev.mandate.nats;

import io.nats.client.support.JsonParseException;
import io.nats.client.support.JsonParser;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A JSON object of a server or context file. Fields that are missing or of another type read as empty, 0 or false. */
final class Json {
    private final JsonValue value;
    private final Map<String, JsonValue> fields;

    private Json(JsonValue value) {
        this.value = value;
        this.fields = value.map == null ? Map.of() : value.map;
    }

    /**
     * Parses a text.
     *
     * @throws IllegalArgumentException if it is not an object; the message quotes nothing of it
     */
    static Json read(byte[] text) {
        try {
            JsonValue parsed = JsonParser.parse(new String(text, StandardCharsets.UTF_8));
            if (parsed.map != null) {
                return new Json(parsed);
            }
        } catch (JsonParseException | RuntimeException e) {
            // Thrown below: the parser's message may quote the text.
        }
        throw new IllegalArgumentException("not an object of JSON");
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    Set<String> names() {
        return fields.keySet();
    }

    String text(String name) {
        JsonValue field = fields.get(name);
        return field == null || field.string == null ? "" : field.string;
    }

    long number(String name) {
        return JsonValueUtils.readLong(value, name, 0);
    }

    boolean flag(String name) {
        return JsonValueUtils.readBoolean(value, name);
    }

    /** A duration, given in nanoseconds. */
    Duration duration(String name) {
        return Duration.ofNanos(number(name));
    }

    /** A nested object; empty if there is none. */
    Json object(String name) {
        return new Json(fields.getOrDefault(name, JsonValue.EMPTY_MAP));
    }

    /** The objects of a list; empty if there is none. */
    List<Json> list(String name) {
        JsonValue field = fields.get(name);
        return field == null || field.array == null
                ? List.of()
                : field.array.stream().map(Json::new).toList();
    }

    /** The size of that list. */
    int size(String name) {
        return list(name).size();
    }
}
