package dev.mandate.simulator.check;

/** A term's End is announced when its belief is over, unless its process could not run. Belief never comes back. */
public final class DeadlineCheck {
    private final Judge judge;

    /** Reports to {@code judge}. */
    public DeadlineCheck(Judge judge) {
        this.judge = judge;
    }

    /**
     * A term has begun and not ended.
     *
     * @param runs whether its process runs
     * @param overdueNanos how long its belief has been over by its own monotonic clock; negative while it is not
     * @param graceNanos how late the process may be woken
     */
    public void open(String who, boolean runs, long overdueNanos, long graceNanos) {
        if (runs && overdueNanos > graceNanos) {
            judge.violated(
                    Invariant.DEADLINE,
                    who + " has not announced its end " + overdueNanos / 1000 + " us after its belief was over");
        }
    }

    /**
     * The work of an ended term still runs, and this was not reported.
     *
     * @param runs whether its process runs
     * @param overdueNanos how long its budget has been over by its machine's fastest clock; negative while it is not
     * @param graceNanos how late the process may be woken
     */
    public void works(String who, boolean runs, long overdueNanos, long graceNanos) {
        if (runs && overdueNanos > graceNanos) {
            judge.violated(
                    Invariant.OVERRUN,
                    who + " has not reported its work, which runs " + overdueNanos / 1000 + " us beyond its deadline");
        }
    }

    /** The store has just told a client that its term is lost; {@code ended}: its end was announced. */
    public void toldLost(String who, boolean ended) {
        if (!ended) {
            judge.violated(Invariant.DEADLINE, who + " goes on although the store said that it is lost");
        }
    }

    /** A term that was found invalid is asked again. */
    public void askedAgain(String who, boolean believed) {
        if (believed) {
            judge.violated(Invariant.REVIVAL, who + " is valid again after it was not");
        }
    }
}
