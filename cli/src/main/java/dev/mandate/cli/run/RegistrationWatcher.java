package dev.mandate.cli.run;

import dev.mandate.console.Json;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.Status;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Polls a registration and reports what is new. For one thread. */
final class RegistrationWatcher {
    private final Registration registration;
    private final @Nullable HealthCommand health;
    private final Messages messages;
    private final @Nullable PrintStream json;
    private final RegistrationNews news = new RegistrationNews();

    /**
     * Reports to {@code messages}.
     *
     * @param health the check that sets the status; null if there is none
     * @param json where to print JSON, too; null for nowhere
     */
    RegistrationWatcher(
            Registration registration, @Nullable HealthCommand health, Messages messages, @Nullable PrintStream json) {
        this.registration = registration;
        this.health = health;
        this.messages = messages;
        this.json = json;
    }

    void look() {
        RegistrationState state = registration.state();
        if (state.phase() == Phase.CLOSING || state.phase() == Phase.CLOSED) {
            return;
        }
        Status status = registration.instance().status();
        String reason = health == null ? "" : health.words(status);
        String message = news.look(state, registration.generation(), status, reason, System.nanoTime());
        if (message != null) {
            messages.note(message);
            if (json != null) {
                print(json, state, status, message);
            }
        }
    }

    private void print(PrintStream to, RegistrationState state, Status status, String message) {
        Json.print(to, out -> {
            out.writeStringField(
                    "time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
            out.writeStringField("service", registration.service());
            out.writeStringField("id", registration.id());
            out.writeStringField("phase", state.phase().name().toLowerCase(Locale.ROOT));
            out.writeStringField("status", status.name());
            out.writeStringField("message", message);
            if (state.heldBy().isPresent()) {
                out.writeStringField("holder", state.heldBy().get());
            }
        });
    }
}
