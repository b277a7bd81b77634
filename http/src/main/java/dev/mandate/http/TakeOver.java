package dev.mandate.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mandate.Leader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A term that began while we watched.
 *
 * @param number counts take-overs, from 1
 * @param election its name
 * @param atMillis when the new leader was seen, by this machine's wall clock
 * @param from who led before; null if nobody was seen to
 * @param to who leads now
 * @param gapMillis how long nobody led, as far as was seen
 * @param reason why the former term ended: {@code asked}, {@code released}, {@code expired}, {@code unknown}
 */
record TakeOver(
        long number,
        String election,
        long atMillis,
        @Nullable Leader from,
        Leader to,
        long gapMillis,
        String reason) {

    /** Writes its fields. */
    void write(JsonGenerator json) throws IOException {
        json.writeStringField("election", election);
        json.writeNumberField("at", atMillis);
        json.writeFieldName("from");
        party(json, from);
        json.writeFieldName("to");
        party(json, to);
        json.writeFieldName("vacantFrom");
        if (gapMillis == 0) {
            json.writeNull();
        } else {
            json.writeNumber(atMillis - gapMillis);
        }
        json.writeNumberField("gapMillis", gapMillis);
        json.writeStringField("reason", reason);
    }

    private static void party(JsonGenerator json, @Nullable Leader leader) throws IOException {
        if (leader == null) {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        json.writeStringField("candidate", leader.candidate());
        json.writeNumberField("token", leader.token().value());
        json.writeEndObject();
    }
}
