package dev.mandate.simulator.check;

/** One client's requests for pages: one at a time, retried at their pace, listings apart. Times are the client's. */
public final class ListingRequests {
    private final Spacing spacing;
    private final FlightCheck flight;
    private final PaceCheck pages;
    private final PaceCheck listings;
    private boolean isPending;
    private long untilNanos;

    /** Whether the current listing has shown something. */
    private boolean hasShown;

    private long beganNanos;
    private boolean mayBeginAfresh;

    /** {@code who} names the client. */
    public ListingRequests(String who, Spacing spacing, Judge judge) {
        this.spacing = spacing;
        this.flight = new FlightCheck(who + ", listing,", judge);
        this.pages = new PaceCheck(who, "lists", spacing.upTo(spacing.recordCheck()), judge);
        this.listings = new PaceCheck(who, "begins another listing", failures -> 0, judge);
    }

    /** A page is requested: the first, or a later one. */
    public void asks(boolean isFirst, long nanos, long untilNanos) {
        timeOut(nanos);
        flight.asks(false, nanos, untilNanos);
        if (isFirst && hasShown && nanos - beganNanos >= spacing.recordCheck()) {
            // What was shown is due again, however often later pages failed.
            pages.permits();
        }
        if (isFirst && mayBeginAfresh) {
            pages.reset();
        }
        pages.tries(nanos);
        if (isFirst) {
            hasShown = false;
            beganNanos = nanos;
            listings.tries(nanos);
            listings.pause(nanos + spacing.retry());
        }
        this.isPending = true;
        this.untilNanos = untilNanos;
    }

    /** Whether a page is awaited, or was until it timed out. */
    public boolean isPending() {
        return isPending;
    }

    /** Whether the page in flight has just timed out. */
    public boolean timeOut(long nanos) {
        boolean isOver = isPending && nanos >= untilNanos;
        if (isOver) {
            fail(untilNanos);
        }
        return isOver;
    }

    private void fail(long nanos) {
        isPending = false;
        flight.ended();
        pages.failed(nanos);
    }

    /** The page in flight came; {@code isLast}: it is the last. */
    public void answered(boolean isLast) {
        // A page that came too late changes nothing.
        hasShown = isPending ? !isLast : hasShown;
        isPending = false;
        flight.ended();
        if (isLast) {
            pages.reset();
            mayBeginAfresh = false;
        }
    }

    /** The page in flight will not come; {@code forGood}: until somebody changes something. */
    public void failed(long nanos, boolean forGood) {
        timeOut(nanos);
        if (isPending) {
            fail(nanos);
            if (forGood) {
                pages.pause(nanos + Spacing.least(spacing.recordCheck()));
            }
        }
    }

    /** No listing is needed, as far as is known. The next one starts afresh. */
    public void isUnwanted() {
        if (!isPending) {
            pages.reset();
        }
    }

    /**
     * The watch may have missed something, and nobody knows whether listings were needed all the time until the client
     * heard of it: each may begin afresh, until one is complete.
     */
    public void mayBeginAfresh() {
        mayBeginAfresh = true;
    }

    /** The next failure counts as the first: nobody knows whether the client counted those before. */
    public void forgetsFailures() {
        pages.calm();
    }
}
