package dev.mandate.engine;

/**
 * Whether a client can rely on its watch: it is open, and no read has since shown a change that should have been hinted
 * first. Only the pace of observers depends on it.
 */
final class Hints {
    private boolean isOpen;
    private boolean hasMissed;

    /** The watch was opened, or broke. */
    void watch(boolean open) {
        isOpen = open;
        hasMissed = false;
    }

    /** It delivered something. */
    void heard() {
        hasMissed = false;
    }

    /** A read or listing showed a change that it had not delivered. */
    void missed() {
        hasMissed = true;
    }

    boolean isOpen() {
        return isOpen;
    }

    boolean work() {
        return isOpen && !hasMissed;
    }
}
