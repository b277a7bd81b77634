package dev.mandate.internal.memory;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The injected faults of all connections, or of those with one label. Guarded by its server. */
public final class Faults {
    /** For "until healed". */
    public static final int ALWAYS = Integer.MAX_VALUE;

    /** Whether no request arrives. */
    public boolean isCutOff;
    /** Whether every request fails. */
    public boolean isFailing;
    /** Whether requests wait. */
    public boolean isFrozen;
    /** Whether no hint is sent. */
    public boolean isDroppingHints;
    /** How many answers are lost from now on; the requests take effect. */
    public int answersToLose;
    /** How many writes are refused from now on. */
    public int writesToRefuse;
    /** How long each answer takes. */
    public Duration delay = Duration.ZERO;
    /** The message of the permanent fault that every request meets; null without one. */
    public @Nullable String permanent;

    /** Whether the next answer is lost; counts it. */
    boolean losesAnswer() {
        if (answersToLose > 0 && answersToLose != ALWAYS) {
            answersToLose--;
            return true;
        }
        return answersToLose == ALWAYS;
    }

    /** Whether the next write is refused; counts it. */
    boolean refusesWrite() {
        if (writesToRefuse > 0 && writesToRefuse != ALWAYS) {
            writesToRefuse--;
            return true;
        }
        return writesToRefuse == ALWAYS;
    }

    /** Whether hints were withheld, so that watchers must read everything once this is healed. */
    boolean isSilent() {
        return isCutOff || isFrozen;
    }
}
