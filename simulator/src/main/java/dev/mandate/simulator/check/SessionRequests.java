package dev.mandate.simulator.check;

/** One client's requests for one session: one at a time, each kind at its pace. Times are the client's. */
public final class SessionRequests {
    private final Spacing spacing;
    private final FlightCheck flight;
    private final PaceCheck renewals;
    private final PaceCheck ends;
    private boolean isPending;
    private boolean renews;
    private long untilNanos;

    /** {@code spacing} is the client's, {@code granted} the session's; {@code who} names client and session. */
    public SessionRequests(String who, Spacing spacing, Spacing granted, Judge judge) {
        this.spacing = spacing;
        this.flight = new FlightCheck(who, judge);
        this.renewals = new PaceCheck(who, "renews", granted.ofRenewals(), judge);
        this.ends = new PaceCheck(who, "ends it", spacing.upTo(spacing.renew()), judge);
    }

    /** A renewal is sent, or else the request to end the session. */
    public void asks(boolean renewal, long nanos, long untilNanos) {
        timeOut(nanos);
        flight.asks(false, nanos, untilNanos);
        (renewal ? renewals : ends).tries(nanos);
        this.isPending = true;
        this.renews = renewal;
        this.untilNanos = untilNanos;
    }

    private void timeOut(long nanos) {
        if (isPending && nanos >= untilNanos) {
            fail(untilNanos);
        }
    }

    private void fail(long nanos) {
        isPending = false;
        flight.ended();
        (renews ? renewals : ends).failed(nanos);
    }

    /** The request in flight was answered. */
    public void answered(long nanos) {
        timeOut(nanos);
        if (isPending) {
            isPending = false;
            flight.ended();
            renewals.reset();
        }
    }

    /** The request in flight will get no answer; {@code forGood}: until somebody changes something. */
    public void failed(long nanos, boolean forGood) {
        timeOut(nanos);
        if (isPending) {
            fail(nanos);
            if (forGood) {
                ends.pause(renews ? Long.MIN_VALUE : nanos + Spacing.least(spacing.fault()));
            }
        }
    }

    /** The next failure counts as the first: nobody knows whether the client counted those before. */
    public void forgetsFailures() {
        renewals.calm();
        ends.calm();
    }
}
