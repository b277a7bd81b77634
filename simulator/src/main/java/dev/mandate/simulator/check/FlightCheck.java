package dev.mandate.simulator.check;

/** One request at a time: a write waits for the end of what is in flight, but for a look, which it gives up; a look waits for everything. */
public final class FlightCheck {
    private final Judge judge;
    private final String who;
    private boolean isLook;
    private long untilNanos = Long.MIN_VALUE;

    /** {@code who} asks, of what. */
    public FlightCheck(String who, Judge judge) {
        this.judge = judge;
        this.who = who;
    }

    /** Something is asked for, and awaited until {@code untilNanos}. */
    public void asks(boolean look, long nanos, long untilNanos) {
        if (nanos < this.untilNanos && (look || !isLook)) {
            judge.violated(
                    Invariant.IN_FLIGHT,
                    who + " asks for " + (look ? "a look" : "a write") + " while " + (isLook ? "a look" : "a write")
                            + " is in flight that is awaited for another " + (this.untilNanos - nanos) / 1000 + " us");
        }
        this.isLook = look;
        this.untilNanos = untilNanos;
    }

    /** What is in flight was answered, or failed. */
    public void ended() {
        untilNanos = Long.MIN_VALUE;
    }

    /** If it is a look that is in flight, nobody awaits it any more. */
    public void givesUpLook() {
        if (isLook) {
            ended();
        }
    }
}
