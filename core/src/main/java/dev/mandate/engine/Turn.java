package dev.mandate.engine;

import dev.mandate.spi.Ordered;

/**
 * When a candidate may try for a vacancy where the store says who tries first: n steps after it was told place n, and
 * {@link Ordered#STEPS_MAX} steps after it saw the vacancy at the latest. Nothing that is told can move the latter, so
 * an order that breaks becomes a race.
 */
final class Turn {
    private final long stepNanos;
    private boolean sought;
    private int place;
    private long atNanos;
    private long lastNanos;

    Turn(long stepNanos) {
        this.stepNanos = stepNanos;
    }

    /** It sees a vacancy that it may take. A wait that goes on already is not begun again. */
    void begin(long nowNanos) {
        if (!sought) {
            sought = true;
            place = Ordered.STEPS_MAX;
            lastNanos = nowNanos + Ordered.STEPS_MAX * stepNanos;
            atNanos = lastNanos;
        }
    }

    /** The vacancy is over, or not for this candidate. */
    void end() {
        sought = false;
    }

    /** It was told its place: the same place twice changes nothing. Dropped while it waits for no turn. */
    void placed(int told, long nowNanos) {
        int bounded = told < 0 || told > Ordered.STEPS_MAX ? Ordered.STEPS_MAX : told;
        if (sought && bounded != place) {
            place = bounded;
            atNanos = Math.min(lastNanos, nowNanos + bounded * stepNanos);
        }
    }

    /** Whether it waits for its turn, or its turn has come. */
    boolean isSought() {
        return sought;
    }

    /** When its turn comes, if nothing else is told; means nothing unless {@link #isSought}. */
    long atNanos() {
        return atNanos;
    }

    boolean isDue(long nowNanos) {
        return sought && nowNanos >= atNanos;
    }
}
