package dev.mandate.engine;

import dev.mandate.spi.Ordered;

/**
 * When a candidate may try for a vacancy where there is an order. With place n it tries n steps after it was told; if
 * all know their places before, n steps after it saw the vacancy; at the latest {@link Ordered#STEPS_MAX} steps after
 * it saw the vacancy. No message can postpone the latter, so a broken order becomes a race.
 */
final class Turn {
    /** For an election without an order, where no turn is ever sought. */
    static final Turn NEVER = new Turn(0, false);

    private final long stepNanos;
    private final boolean countsFromVacancy;
    private boolean sought;
    private int place;
    private long atNanos;
    private long lastNanos;

    /** {@code countsFromVacancy}: places are known before the vacancy; else each counts from when it was told. */
    Turn(long stepNanos, boolean countsFromVacancy) {
        this.stepNanos = stepNanos;
        this.countsFromVacancy = countsFromVacancy;
    }

    /** It sees a vacancy that it may take. Does not restart a wait that is already going on. */
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
            long fromNanos = countsFromVacancy ? lastNanos - Ordered.STEPS_MAX * stepNanos : nowNanos;
            atNanos = Math.min(lastNanos, fromNanos + bounded * stepNanos);
        }
    }

    /** Whether it waits for its turn, or its turn has come. */
    boolean isSought() {
        return sought;
    }

    /** Its place as told, or the last one; meaningless unless {@link #isSought}. */
    int place() {
        return place;
    }

    /** When its turn comes, unless it is told another place; meaningless unless {@link #isSought}. */
    long atNanos() {
        return atNanos;
    }

    boolean isDue(long nowNanos) {
        return sought && nowNanos >= atNanos;
    }
}
