package dev.mandate.registry;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a registration is in the store, at the instant of asking, with a reason. Created by a {@link Registration};
 * later versions may add members and phases, which changes the constructor.
 *
 * @param phase the phase of the registration
 * @param words the reason, for people
 * @param holder who holds the id if, and only if, {@code phase} is {@link Phase#TAKEN}; untrusted text
 */
public record RegistrationState(
        Phase phase, String words, @Nullable String holder) {

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

    /** The whole answer as a yes or no. */
    public boolean registered() {
        return phase == Phase.REGISTERED;
    }

    /** Who holds the id, if another registrant does: by default host name and process id. */
    public Optional<String> heldBy() {
        return Optional.ofNullable(holder);
    }
}
