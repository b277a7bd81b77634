package dev.mandate.registry;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a registration is in the store, at the instant it was asked, with a reason. Comes from a {@link
 * Registration}: members and phases may be added, which changes the constructor.
 *
 * @param phase where the registration is
 * @param words the reason, for people
 * @param holder who holds the id if, and only if, {@code phase} is {@link Phase#TAKEN}; untrusted text
 */
public record RegistrationState(
        Phase phase, String words, @Nullable String holder) {

    /** Where a registration can be. */
    public enum Phase {
        /** Not registered yet, or registering again. */
        REGISTERING,
        /** Is in the store. The newest state may still be on its way: see {@link Registration#awaitRegistered}. */
        REGISTERED,
        /** Another registrant holds the id; takes over when that one has gone. */
        TAKEN,
        /** Asked to be registered and does not know the answer. */
        UNSURE,
        /** The store refuses, and will until somebody changes something: a right, for one. */
        FAULTY,
        /** Is closed, and being removed from the store. */
        CLOSING,
        /** Is closed, and nothing of it is left, as far as the store could be asked. */
        CLOSED
    }

    /** The whole answer for those who only want a yes or no. */
    public boolean registered() {
        return phase == Phase.REGISTERED;
    }

    /** Who holds the id, if somebody else does: by default host name and process id. */
    public Optional<String> heldBy() {
        return Optional.ofNullable(holder);
    }
}
