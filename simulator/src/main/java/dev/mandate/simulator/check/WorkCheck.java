package dev.mandate.simulator.check;

/** What a client may ask for while its work runs or has just ended. */
public final class WorkCheck {
    private final Judge judge;

    /** Tells {@code judge}. */
    public WorkCheck(Judge judge) {
        this.judge = judge;
    }

    /** An acquire is asked for; {@code coolNanos} is how much of a cool-down is left. */
    public void acquires(String who, boolean workRuns, boolean stands, long coolNanos) {
        if (workRuns) {
            judge.violated(Invariant.ATTEMPT, who + " asks for the lead while work of its earlier term runs");
        }
        if (!stands) {
            judge.violated(Invariant.ATTEMPT, who + " asks for the lead but does not stand");
        }
        if (coolNanos > 0) {
            judge.violated(
                    Invariant.ATTEMPT,
                    who + " asks for the lead " + coolNanos / 1000 + " us before its cool-down is over");
        }
    }

    /** What kept a term's lease is asked to end: its record's release, or its session's end. {@code covered}: the policy's hold is over. */
    public void letsGo(String who, String what, boolean workRuns, boolean covered) {
        if (workRuns && !covered) {
            judge.violated(Invariant.RELEASE, who + " asks to end " + what + " although its work runs");
        }
    }

    /** A record of its newest attempt is asked to be released although it never became a term. */
    public void givesUp(String who, boolean hadReason) {
        if (!hadReason) {
            judge.violated(Invariant.RELEASE, who + " releases its live attempt, which it could have led with");
        }
    }

    /** Another session is asked for. */
    public void opens(String who, boolean hasUsable, boolean opening) {
        if (hasUsable) {
            judge.violated(Invariant.SESSION, who + " opens a session while it has one that can be used");
        }
        if (opening) {
            judge.violated(Invariant.SESSION, who + " opens a session while another opening is under way");
        }
    }
}
