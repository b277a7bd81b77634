package dev.mandate.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.mandate.ElectionQueue;
import dev.mandate.Leader;
import dev.mandate.Queued;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes JSON answers: plain ASCII on one line, whatever a record holds. Names and types are those of {@code mandate
 * status --json} and {@code mandate instances --json}, except that durations are whole milliseconds in fields whose
 * names end in {@code Millis}. Unknown values are left out.
 */
final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .build();

    private Json() {}

    /** Writes the content of an object. */
    @FunctionalInterface
    interface Body {
        /** Writes fields. */
        void write(JsonGenerator json) throws IOException;
    }

    static JsonGenerator generator(OutputStream out) {
        try {
            return FACTORY.createGenerator(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] object(Body body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = generator(out)) {
            json.writeStartObject();
            body.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** The fields of an election that somebody leads. */
    static void election(JsonGenerator json, Leader leader) throws IOException {
        json.writeStringField("election", leader.election());
        json.writeStringField("state", "led");
        json.writeStringField("candidate", leader.candidate());
        json.writeNumberField("token", leader.token().value());
        json.writeStringField("value", leader.value());
        since(json, leader.since());
        if (!leader.lease().isZero()) {
            json.writeNumberField("leaseMillis", leader.lease().toMillis());
        }
        json.writeBooleanField("verified", leader.verified());
        json.writeBooleanField("askedToLeave", leader.asked());
        json.writeStringField("order", leader.order().name().toLowerCase(Locale.ROOT));
        json.writeBooleanField("foreign", leader.foreign());
    }

    /** The fields of a queue. */
    static void queue(JsonGenerator json, ElectionQueue queue) throws IOException {
        json.writeStringField("election", queue.election());
        json.writeArrayFieldStart("waiting");
        for (Queued each : queue.waiting()) {
            json.writeStartObject();
            json.writeStringField("candidate", each.candidate());
            json.writeStringField("incarnation", each.incarnation());
            since(json, each.since());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** The fields of a service, with its instances. */
    static void service(JsonGenerator json, ServiceView service) throws IOException {
        json.writeStringField("name", service.service());
        json.writeArrayFieldStart("instances");
        for (RegisteredInstance each : service.instances()) {
            json.writeStartObject();
            instance(json, each);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** The fields of a service, with how many instances it has. */
    static void summary(JsonGenerator json, ServiceView service) throws IOException {
        json.writeStringField("name", service.service());
        json.writeNumberField("instances", service.instances().size());
        json.writeNumberField(
                "passing",
                service.instances().stream()
                        .filter(RegisteredInstance::isPassing)
                        .count());
    }

    /** The fields of an instance of a service. */
    static void instance(JsonGenerator json, RegisteredInstance instance) throws IOException {
        json.writeStringField("id", instance.id());
        json.writeStringField("address", instance.address());
        json.writeStringField("status", instance.status().name());
        json.writeBooleanField("passing", instance.isPassing());
        json.writeBooleanField("verified", instance.verified());
        json.writeStringField("candidate", instance.candidate());
        since(json, instance.since());
        json.writeObjectFieldStart("metadata");
        for (Map.Entry<String, String> field : new TreeMap<>(instance.metadata()).entrySet()) {
            json.writeStringField(field.getKey(), field.getValue());
        }
        json.writeEndObject();
    }

    private static void since(JsonGenerator json, Instant since) throws IOException {
        if (!since.equals(Instant.EPOCH)) {
            json.writeStringField("since", since.toString());
        }
    }
}
