package dev.mandate.registry;

import java.util.Optional;

/**
 * Whether a registration is in the store, at the instant of asking, with a reason. Created by a {@link Registration};
 * later versions may add members and phases, which changes the constructor.
 *
 * @param phase the phase of the registration
 * @param reason why, for people
 * @param heldBy who holds the id if, and only if, {@code phase} is {@link Phase#TAKEN}: by default host name and
 *     process id; untrusted text
 */
public record RegistrationState(Phase phase, String reason, Optional<String> heldBy) {

    /** The phases of a registration. */
    public enum Phase {
        /** Not registered yet, or registering again. */
        REGISTERING,
        /** In the store. The newest state may still be on its way: see {@link Registration#awaitRegistered}. */
        REGISTERED,
        /** Another registrant holds the id; this one takes over when that one is gone. */
        TAKEN,
        /** Asked to be registered; the outcome is unknown. */
        UNSURE,
        /** The store refuses until somebody changes something, such as a right. */
        FAULTY,
        /** Closed; being removed from the store. */
        CLOSING,
        /** Closed, and nothing of it is left, as far as the store could be asked. */
        CLOSED
    }

    /** Whether it was in the store, and its lease not over, at the instant of asking. */
    public boolean isRegistered() {
        return phase == Phase.REGISTERED;
    }
}
