package dev.mandate.simulator.check;

import org.jspecify.annotations.Nullable;

/** Keeps the first violation of a schedule. */
public final class Judge {
    private @Nullable Invariant broken;
    private String words = "";
    private boolean isClosed;

    /** Records that {@code what} was broken; {@code how} is kept if it is the first. */
    public void violated(Invariant what, String how) {
        if (broken == null && !isClosed) {
            broken = what;
            words = how;
        }
    }

    /** The schedule is over: nothing counts any more. */
    public void close() {
        isClosed = true;
    }

    /** Whether anything was broken. */
    public boolean isBroken() {
        return broken != null;
    }

    /** The first invariant that was broken, or null. */
    public @Nullable Invariant broken() {
        return broken;
    }

    /** How it was broken; empty if nothing was. */
    public String words() {
        return words;
    }
}
