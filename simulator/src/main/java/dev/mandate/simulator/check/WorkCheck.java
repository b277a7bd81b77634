package dev.mandate.simulator.check;

import java.util.List;

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

    /** A term is announced. {@code live}: it is the newest attempt's; {@code early}: how much of the settling time is left. */
    public void begins(String who, boolean live, long earlyNanos) {
        if (!live) {
            judge.violated(Invariant.ATTEMPT, who + " leads with an attempt that is not its newest");
        }
        if (earlyNanos > 0) {
            judge.violated(
                    Invariant.ATTEMPT, who + " leads " + earlyNanos / 1000 + " us before its settling time is over");
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

    /** An answer came that was not awaited any more: role, basis and lease stay what they were. */
    public void hearsLate(String who, List<?> before, List<?> after) {
        if (!before.equals(after)) {
            judge.violated(
                    Invariant.REPLIES,
                    who + " believes an answer that it no longer awaits: " + before + " became " + after);
        }
    }

    /** So many of a client's sessions are alive although all is quiet. */
    public void keeps(String who, int sessions) {
        if (sessions > 1) {
            judge.violated(Invariant.SESSION, who + " keeps " + sessions + " sessions alive");
        }
    }

    /** Another session is asked for. */
    public void opens(String who, boolean opening) {
        if (opening) {
            judge.violated(Invariant.SESSION, who + " opens a session while another opening is under way");
        }
    }
}
