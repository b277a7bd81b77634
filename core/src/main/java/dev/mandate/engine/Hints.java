package dev.mandate.engine;

/**
 * Whether a client's watch can be relied on to tell of changes: it is open, and no look has shown a change since which
 * it should have told of before. Nothing but the pace of observers depends on it.
 */
final class Hints {
    private boolean isOpen;
    private boolean hasMissed;

    /** The watch was opened, or has broken. */
    void watch(boolean open) {
        isOpen = open;
        hasMissed = false;
    }

    /** It told of something. */
    void heard() {
        hasMissed = false;
    }

    /** A look showed what it did not tell of. */
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
