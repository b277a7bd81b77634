package dev.mandate.simulator.check;

import java.util.List;

/** What a client may request while its work runs or has just ended. */
public final class WorkCheck {
    private final Judge judge;

    /** Reports to {@code judge}. */
    public WorkCheck(Judge judge) {
        this.judge = judge;
    }

    /** The client tries to acquire; {@code coolNanos} of a cool-down are left. */
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

    /** A term is announced; {@code live}: by the newest attempt; {@code earlyNanos}: how much settling time is left. */
    public void begins(String who, boolean live, long earlyNanos) {
        if (!live) {
            judge.violated(Invariant.ATTEMPT, who + " leads with an attempt that is not its newest");
        }
        if (earlyNanos > 0) {
            judge.violated(
                    Invariant.ATTEMPT, who + " leads " + earlyNanos / 1000 + " us before its settling time is over");
        }
    }

    /** The client ends its record or session, which kept a term's lease; {@code covered}: the policy's hold is over. */
    public void letsGo(String who, String what, boolean workRuns, boolean covered) {
        if (workRuns && !covered) {
            judge.violated(Invariant.RELEASE, who + " asks to end " + what + " although its work runs");
        }
    }

    /** The client releases the record of its newest attempt, which never became a term. */
    public void givesUp(String who, boolean hadReason) {
        if (!hadReason) {
            judge.violated(Invariant.RELEASE, who + " releases its live attempt, which it could have led with");
        }
    }

    /** An answer came that was no longer awaited: role, basis and lease must stay the same. */
    public void hearsLate(String who, List<?> before, List<?> after) {
        if (!before.equals(after)) {
            judge.violated(
                    Invariant.REPLIES,
                    who + " believes an answer that it no longer awaits: " + before + " became " + after);
        }
    }

    /** The client keeps so many sessions alive although all is quiet. */
    public void keeps(String who, int sessions) {
        if (sessions > 1) {
            judge.violated(Invariant.SESSION, who + " keeps " + sessions + " sessions alive");
        }
    }

    /** The client asks for another session. */
    public void opens(String who, boolean opening) {
        if (opening) {
            judge.violated(Invariant.SESSION, who + " opens a session while another opening is under way");
        }
    }
}
