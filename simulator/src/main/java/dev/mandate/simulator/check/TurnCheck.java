package dev.mandate.simulator.check;

import dev.mandate.spi.Ordered;
import dev.mandate.spi.Stance;

/**
 * With an order, one client in one election waits for its turn and reports its stance. All times are the client's.
 * {@link RecoveryCheck}, which looks for a leader, checks that the wait ends.
 */
public final class TurnCheck {
    private final Judge judge;
    private final String who;
    private final long stepNanos;
    private final boolean countsFromVacancy;
    private Stance stance = Stance.Absent.INSTANCE;
    private boolean sought;
    private int place;
    private long atNanos;
    private long lastNanos;

    /**
     * {@code who} waits one step of {@code stepNanos} for each candidate before it, counted from the vacancy if
     * {@code countsFromVacancy}, else from when it was told its place.
     */
    public TurnCheck(String who, long stepNanos, boolean countsFromVacancy, Judge judge) {
        this.countsFromVacancy = countsFromVacancy;
        this.who = who;
        this.stepNanos = stepNanos;
        this.judge = judge;
    }

    /** The client reports this stance. One that is absent only for a while, as during a fault, may go on waiting. */
    public void says(Stance stands, long nanos) {
        if (stands.equals(stance)) {
            judge.violated(Invariant.TURN, who + " says twice that it is " + stands);
        }
        stance = stands;
        if (stands == Stance.Seeking.INSTANCE) {
            if (!sought) {
                sought = true;
                place = Ordered.STEPS_MAX;
                lastNanos = nanos + Ordered.STEPS_MAX * stepNanos;
                atNanos = lastNanos;
            }
        } else if (stands != Stance.Absent.INSTANCE) {
            sought = false;
        }
    }

    /** The client is told its place. */
    public void placed(int told, long nanos) {
        int steps = told < 0 || told > Ordered.STEPS_MAX ? Ordered.STEPS_MAX : told;
        if (sought && steps != place) {
            place = steps;
            long from = countsFromVacancy ? lastNanos - Ordered.STEPS_MAX * stepNanos : nanos;
            atNanos = Math.min(lastNanos, from + steps * stepNanos);
        }
    }

    /** The place it was told, or the last one. */
    public int place() {
        return place;
    }

    /** The client tries to acquire. */
    public void tries(long nanos) {
        if (!sought) {
            judge.violated(Invariant.TURN, who + " asks for the lead and never said that it wants it: " + stance);
        } else if (nanos < atNanos) {
            judge.violated(
                    Invariant.TURN, who + " asks for the lead " + (atNanos - nanos) / 1000 + " us before its turn");
        }
    }

    /** After a step: the term it leads or 0, the term it won and settles for or 0, and whether it campaigns at all. */
    public void is(long leading, long settling, boolean stands) {
        long says = stance instanceof Stance.Leading leader ? leader.term() : 0;
        long waits = stance instanceof Stance.Settling winner ? winner.term() : 0;
        if (says != leading || waits != settling) {
            judge.violated(
                    Invariant.TURN,
                    who + " says " + stance + ", but leads term " + leading + " and settles for " + settling);
        } else if (!stands && stance != Stance.Absent.INSTANCE) {
            judge.violated(Invariant.TURN, who + " does not stand, and says " + stance);
        }
    }
}
