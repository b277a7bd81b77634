package dev.mandate.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.mandate.Leader;
import dev.mandate.registry.RegisteredInstance;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * One line of JSON. Plain ASCII, whatever a record holds: no control sequence reaches a terminal. Durations are
 * fractional seconds in fields whose names end in {@code Seconds}; instants are ISO 8601.
 */
public final class Json {
    private static final JsonFactory FACTORY =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private Json() {}

    /** Writes the content of an object. */
    @FunctionalInterface
    public interface Body {
        /** Writes fields. */
        void write(JsonGenerator json) throws IOException;
    }

    /** Prints one object on one line. */
    public static void print(PrintStream out, Body body) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            body.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
    }

    /** An object as a field. */
    public static void object(JsonGenerator json, String name, Body body) throws IOException {
        json.writeObjectFieldStart(name);
        body.write(json);
        json.writeEndObject();
    }

    /** An array of objects as a field. */
    public static <T> void array(JsonGenerator json, String name, Iterable<T> items, Item<T> item) throws IOException {
        json.writeArrayFieldStart(name);
        for (T each : items) {
            json.writeStartObject();
            item.write(json, each);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes one item of an array. */
    @FunctionalInterface
    public interface Item<T> {
        /** Writes its fields. */
        void write(JsonGenerator json, T item) throws IOException;
    }

    /** A duration in seconds, as the field's name has to say. */
    public static void seconds(JsonGenerator json, String nameSeconds, Duration d) throws IOException {
        double seconds = d.toNanos() / 1e9;
        boolean hasExponent = Double.toString(seconds).indexOf('E') >= 0;
        json.writeFieldName(nameSeconds);
        // JSON allows an exponent, but shells cannot calculate with one.
        json.writeNumber(
                hasExponent
                        ? new BigDecimal(seconds)
                                .setScale(9, RoundingMode.HALF_EVEN)
                                .stripTrailingZeros()
                                .toPlainString()
                        : Double.toString(seconds));
    }

    /** The fields of a leader. */
    public static void leader(JsonGenerator json, Leader leader) throws IOException {
        json.writeStringField("candidate", leader.candidate());
        json.writeNumberField("token", leader.token().value());
        json.writeStringField("value", leader.value());
        if (!leader.since().equals(Instant.EPOCH)) {
            json.writeStringField("since", leader.since().toString());
        }
        if (!leader.lease().isZero()) {
            seconds(json, "leaseSeconds", leader.lease());
        }
        json.writeBooleanField("verified", leader.verified());
        json.writeBooleanField("askedToLeave", leader.asked());
        json.writeStringField("order", leader.order().name().toLowerCase(Locale.ROOT));
        json.writeBooleanField("foreign", leader.foreign());
    }

    /** The fields of an instance of a service. */
    public static void instance(JsonGenerator json, RegisteredInstance instance) throws IOException {
        json.writeStringField("id", instance.id());
        json.writeStringField("address", instance.address());
        json.writeStringField("status", instance.status().name());
        json.writeBooleanField("passing", instance.isPassing());
        json.writeBooleanField("verified", instance.verified());
        json.writeStringField("candidate", instance.candidate());
        if (!instance.since().equals(Instant.EPOCH)) {
            json.writeStringField("since", instance.since().toString());
        }
        object(json, "metadata", fields -> {
            for (Map.Entry<String, String> field : new TreeMap<>(instance.metadata()).entrySet()) {
                fields.writeStringField(field.getKey(), field.getValue());
            }
        });
    }
}
