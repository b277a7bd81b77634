package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A transaction to send: all of its operations take effect, in this order, or none does. */
final class Txn {
    /** Consul refuses more operations than this. */
    static final int OPERATIONS_MAX = 64;

    private final ByteArrayOutputStream body = new ByteArrayOutputStream(512);
    private final JsonGenerator json;

    Txn() {
        try {
            json = ConsulJson.FACTORY.createGenerator(body);
            json.writeStartArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails unless the index of {@code path} is {@code index}; with 0, unless there is no such key. */
    Txn expect(String path, long index) {
        return index == 0
                ? add("check-not-exists", path, g -> {})
                : add("check-index", path, g -> g.writeNumberField("Index", index));
    }

    /** Locks {@code path} by that session, or keeps it locked, and replaces its value. */
    Txn lock(String path, String session, String value, long flags) {
        return add("lock", path, g -> {
            g.writeStringField("Session", session);
            value(g, value, flags);
        });
    }

    /** Releases the lock and empties the value. */
    Txn unlock(String path, String session) {
        return add("unlock", path, g -> g.writeStringField("Session", session));
    }

    Txn set(String path, String value, long flags) {
        return add("set", path, g -> value(g, value, flags));
    }

    Txn delete(String path) {
        return add("delete", path, g -> {});
    }

    Txn get(String path) {
        return add("get", path, g -> {});
    }

    private static void value(JsonGenerator g, String value, long flags) throws IOException {
        g.writeFieldName("Value");
        g.writeBinary(value.getBytes(StandardCharsets.UTF_8));
        g.writeNumberField("Flags", flags);
    }

    private interface Fields {
        void write(JsonGenerator generator) throws IOException;
    }

    private Txn add(String verb, String path, Fields fields) {
        try {
            json.writeStartObject();
            json.writeObjectFieldStart("KV");
            json.writeStringField("Verb", verb);
            json.writeStringField("Key", path);
            fields.write(json);
            json.writeEndObject();
            json.writeEndObject();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The body to send. Use once. */
    byte[] json() {
        try {
            json.writeEndArray();
            json.close();
            return body.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
