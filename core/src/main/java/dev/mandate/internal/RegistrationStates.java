package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.RegistrationState.Phase;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The states of a registration, each with its reason. */
final class RegistrationStates {
    static final RegistrationState CLOSED = unheld(Phase.CLOSED, "closed");
    static final RegistrationState CLOSING = unheld(Phase.CLOSING, "closed, being removed");
    static final RegistrationState UNSURE = unheld(Phase.UNSURE, "registration sent, no answer yet");
    static final RegistrationState REGISTERING = unheld(Phase.REGISTERING, "registering");

    private RegistrationStates() {}

    /** It is in the store; {@code trouble} says why its newest state is not, if so. */
    static RegistrationState registered(@Nullable String trouble) {
        return unheld(
                Phase.REGISTERED,
                trouble == null
                        ? "registered"
                        : "registered, but the store refuses the newest state, and will until this is fixed: "
                                + trouble);
    }

    static RegistrationState faulty(String trouble) {
        return unheld(Phase.FAULTY, "the store refuses, and will until this is fixed: " + trouble);
    }

    /** Another instance has its id. */
    static RegistrationState taken(String id, String holder, boolean isVerified) {
        String reason = "id '" + Leader.printable(id) + "' is held by " + Leader.printable(holder)
                + (isVerified ? "" : ", not known to be alive") + "; registers when that one has gone";
        return new RegistrationState(Phase.TAKEN, reason, Optional.of(holder));
    }

    private static RegistrationState unheld(Phase phase, String reason) {
        return new RegistrationState(phase, reason, Optional.empty());
    }
}
