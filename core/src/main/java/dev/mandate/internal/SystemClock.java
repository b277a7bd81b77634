package dev.mandate.internal;

import dev.mandate.engine.Now;

/** The clocks of this machine, as clients read them: for a store that is part of this process and must not act late. */
public final class SystemClock {
    private SystemClock() {}

    /** All clocks, read now, suspensions counted. Any thread; takes a few microseconds. */
    public static Now now() {
        return SystemHost.read();
    }

    /** As {@link #now()}, but cheaper: a suspension since {@code earlier} may not show. */
    public static Now since(Now earlier) {
        return SystemHost.readSince(earlier);
    }
}
