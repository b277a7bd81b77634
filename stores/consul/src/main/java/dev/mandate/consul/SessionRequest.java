package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mandate.StoreSetupException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** The request for a session, and its answer. */
final class SessionRequest {
    private SessionRequest() {}

    /**
     * The body. It always lists the checks, even none: otherwise Consul adds its own failure detector, which ends
     * sessions early and does not notice a hung process. The TTL does.
     */
    static byte[] body(ConsulSettings settings, Duration ttl) {
        ByteArrayOutputStream body = new ByteArrayOutputStream(256);
        try (JsonGenerator json = ConsulJson.FACTORY.createGenerator(body)) {
            json.writeStartObject();
            json.writeStringField("Name", "mandate");
            json.writeStringField("TTL", ttl.toMillis() + "ms");
            json.writeStringField("LockDelay", settings.lockDelay().toMillis() + "ms");
            json.writeStringField("Behavior", "release");
            if (!settings.node().isEmpty()) {
                json.writeStringField("Node", settings.node());
            }
            // Two names of the same field: Consul before 1.7 has the first.
            for (String name : new String[] {"Checks", "NodeChecks"}) {
                json.writeArrayFieldStart(name);
                for (String check : settings.checks()) {
                    json.writeString(check);
                }
                json.writeEndArray();
            }
            if (!settings.serviceChecks().isEmpty()) {
                json.writeArrayFieldStart("ServiceChecks");
                for (String check : settings.serviceChecks()) {
                    json.writeStartObject();
                    json.writeStringField("ID", check);
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return body.toByteArray();
    }

    /** The id of the session in {@code answer}. */
    static String id(ConsulHttp http, String what, Answer answer) {
        try {
            String id = ConsulJson.field(answer.body(), "ID");
            if (!id.matches("[0-9a-fA-F-]{36}")) {
                throw new MalformedAnswerException("it names no session");
            }
            http.metConsul();
            return id;
        } catch (IOException e) {
            throw new CompletionException(http.fault(what, e));
        }
    }

    /** The fault if no session was opened. */
    static RuntimeException fault(ConsulHttp http, ConsulSettings settings, String what, Answer answer) {
        String text = answer.text();
        boolean isCheck = answer.status() == 500 && text.contains("check");
        if (isCheck && settings.hasChecks()) {
            return new StoreSetupException(http.name() + ": " + what + ": '" + text
                    + "'; correct the parameters 'checks' and 'service-checks' of the store URL, or the check");
        }
        boolean isTtl = answer.status() == 500 && text.contains("must be between");
        if (isTtl) {
            return new StoreSetupException(http.name() + ": " + what + ": '" + text
                    + "'; choose a lease within these bounds, or lower session_ttl_min on the servers");
        }
        return http.fault(what, answer);
    }
}
