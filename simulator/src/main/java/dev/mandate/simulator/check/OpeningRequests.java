package dev.mandate.simulator.check;

/** One client's requests for sessions, retried at their pace. All times are the client's. */
public final class OpeningRequests {
    private final Spacing spacing;
    private final PaceCheck openings;
    private boolean isPending;
    private long untilNanos;

    /** {@code who} names the client. */
    public OpeningRequests(String who, Spacing spacing, Judge judge) {
        this.spacing = spacing;
        this.openings = new PaceCheck(who, "opens a session", spacing.upTo(spacing.poll()), judge);
    }

    /** A session is requested. */
    public void asks(long nanos, long untilNanos) {
        timeOut(nanos);
        openings.tries(nanos);
        this.isPending = true;
        this.untilNanos = untilNanos;
    }

    private void timeOut(long nanos) {
        if (isPending && nanos >= untilNanos) {
            isPending = false;
            openings.failed(untilNanos);
        }
    }

    /** A session was opened; returns whether in time. */
    public boolean opened(long nanos) {
        timeOut(nanos);
        boolean isInTime = isPending;
        isPending = false;
        return isInTime;
    }

    /** The request will get no answer; {@code forGood}: until somebody changes something. */
    public void failed(long nanos, boolean forGood) {
        timeOut(nanos);
        if (isPending) {
            isPending = false;
            openings.failed(nanos);
            if (forGood) {
                openings.pause(nanos + Spacing.least(spacing.fault()));
            }
        }
    }

    /** A session that was opened has lived until its renewal. */
    public void renewed() {
        openings.calm();
    }
}
