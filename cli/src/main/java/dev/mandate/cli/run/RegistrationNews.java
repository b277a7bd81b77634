package dev.mandate.cli.run;

import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is worth reporting about a registration that is polled. A loss, and a state that only somebody else can
 * change, is reported at once; that registering takes time, after a second.
 */
final class RegistrationNews {
    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

    private @Nullable RegistrationState seen;
    private long seenSinceNanos;
    private @Nullable RegistrationState told;
    private long toldGeneration;
    private @Nullable Status toldStatus;
    private String toldReason = "";
    private boolean wasRegistered;

    /**
     * The words to report now; null if there is nothing new.
     *
     * @param generation that of the registration, asked for after {@code state}
     * @param status the status that the instance reports
     * @param reason why; empty if it is not known, or not yet
     * @param nowNanos the monotonic time
     */
    @Nullable
    String look(RegistrationState state, long generation, Status status, String reason, long nowNanos) {
        if (!isSame(state, seen)) {
            seen = state;
            seenSinceNanos = nowNanos;
        }
        if (state.isRegistered() && isToldRegistered() && generation != toldGeneration) {
            toldGeneration = generation;
            toldStatus = status;
            toldReason = reason;
            return "no longer registered; meanwhile registered again, " + status(status, reason);
        }
        if (!isSame(state, told) && (isUrgent(state) || nowNanos - seenSinceNanos >= PATIENCE_NANOS)) {
            String words = words(state, status(status, reason));
            told = state;
            toldGeneration = generation;
            toldStatus = status;
            toldReason = reason;
            wasRegistered |= state.isRegistered();
            return words;
        }
        boolean hasLateReason = toldReason.isEmpty() && !reason.isEmpty();
        if (toldStatus != null && (toldStatus != status || hasLateReason)) {
            toldStatus = status;
            toldReason = reason;
            return status(status, reason);
        }
        return null;
    }

    /** Compares the words only if they may say what somebody has to change. */
    private static boolean isSame(RegistrationState state, @Nullable RegistrationState other) {
        boolean hasWords = state.phase() == Phase.FAULTY || state.phase() == Phase.REGISTERED;
        return other != null
                && state.phase() == other.phase()
                && state.heldBy().equals(other.heldBy())
                && (!hasWords || state.reason().equals(other.reason()));
    }

    private boolean isUrgent(RegistrationState state) {
        boolean isStuck = state.phase() == Phase.TAKEN || state.phase() == Phase.FAULTY;
        return isStuck || state.isRegistered() || isToldRegistered();
    }

    private boolean isToldRegistered() {
        RegistrationState before = told;
        return before != null && before.isRegistered();
    }

    private static String status(Status status, String reason) {
        return "status " + status + (reason.isEmpty() ? "" : ": " + reason);
    }

    private String words(RegistrationState state, String status) {
        if (state.isRegistered()) {
            boolean isPlain = !isToldRegistered();
            return isPlain ? (wasRegistered ? "registered again" : "registered") + ", " + status : state.reason();
        }
        if (state.phase() == Phase.REGISTERING) {
            return isToldRegistered() ? "no longer registered; registering again" : "not registered yet";
        }
        return (isToldRegistered() ? "no longer registered: " : "not registered: ") + state.reason();
    }
}
