package dev.mandate.engine;

import org.jspecify.annotations.Nullable;

/** What users want of an election: to lead it, with which value, and to be told who leads. */
final class Wanted {
    private boolean campaigns;
    private boolean withdraws;
    private @Nullable String next;
    private boolean observes;
    private String value = "";

    /** Whether this candidate wants to lead. */
    boolean campaigns() {
        return campaigns;
    }

    /** Whether {@link ElectionAction.Withdrawn} is still owed. */
    boolean withdraws() {
        return withdraws;
    }

    /** Whether anybody follows who leads. */
    boolean observes() {
        return observes;
    }

    /** The value to publish when elected. */
    String value() {
        return value;
    }

    /** Whether nothing is left of the candidacy, so that another one begins at once. */
    boolean isAtRest() {
        return !campaigns && !withdraws;
    }

    void campaign(String proposed) {
        value = proposed;
        campaigns = true;
    }

    /** Campaigns with {@code proposed} once the withdrawal has been announced. */
    void campaignNext(String proposed) {
        next = proposed;
    }

    /** Changes the value to register with. */
    void change(String proposed) {
        if (next != null) {
            next = proposed;
        } else {
            value = proposed;
        }
    }

    /** The candidacy ends with its term. */
    void end() {
        withdraws |= campaigns;
        campaigns = false;
    }

    void withdraw() {
        end();
        next = null;
    }

    /** The withdrawal is to be announced now. */
    void withdrawn() {
        withdraws = false;
    }

    /** Takes the value of the next campaign; null for none. */
    @Nullable
    String takeNext() {
        String proposed = next;
        next = null;
        return proposed;
    }

    void observe(boolean on) {
        observes = on;
    }
}
