package dev.mandate.simulator.check;

/** One request at a time: a write replaces a look in flight, but waits for anything else; a look always waits. */
public final class FlightCheck {
    private final Judge judge;
    private final String who;
    private boolean isLook;
    private long untilNanos = Long.MIN_VALUE;

    /** {@code who} names the client and what it asks about. */
    public FlightCheck(String who, Judge judge) {
        this.judge = judge;
        this.who = who;
    }

    /** A request is sent, and awaited until {@code untilNanos}. */
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

    /** The request in flight was answered or failed. */
    public void ended() {
        untilNanos = Long.MIN_VALUE;
    }

    /** A look in flight is no longer awaited. */
    public void givesUpLook() {
        if (isLook) {
            ended();
        }
    }
}
