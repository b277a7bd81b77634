package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mandate.StoreSetupException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** What a session is asked for with, and what comes back. */
final class SessionRequest {
    private SessionRequest() {}

    /**
     * The body. Checks are always given: without any, Consul would add its own failure detector, and no TTL would be needed to keep a hung
     * process in charge for ever.
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
            // Both names of one thing: the first is that of Consul before 1.7.
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

    /** Why there is no session. */
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
