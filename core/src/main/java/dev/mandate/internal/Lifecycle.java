package dev.mandate.internal;

import java.util.concurrent.atomic.AtomicBoolean;

/** Whether a client is open, begins no candidacy any more, or is being closed. Any thread. */
final class Lifecycle {
    private final String candidate;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile boolean isForeseen;

    Lifecycle(String candidate) {
        this.candidate = candidate;
    }

    /** From now on the client begins no candidacy; terms in progress may go on. */
    void foresee() {
        isForeseen = true;
    }

    /** The client is being closed. True for the first caller. */
    boolean begin() {
        return begun.compareAndSet(false, true);
    }

    boolean isClosing() {
        return begun.get();
    }

    /** Whether the client still begins candidacies. */
    boolean campaigns() {
        return !isForeseen && !isClosing();
    }

    void requireOpen() {
        if (isClosing()) {
            throw closedException();
        }
    }

    void requireCampaigns() {
        if (!campaigns()) {
            throw closedException();
        }
    }

    IllegalStateException closedException() {
        return new IllegalStateException("this client (" + candidate + ") is closed; open another one");
    }
}
