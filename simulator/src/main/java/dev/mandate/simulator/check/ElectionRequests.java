package dev.mandate.simulator.check;

import org.jspecify.annotations.Nullable;

/** One client's requests in one election: one at a time, each kind at its pace. Times are the client's. */
public final class ElectionRequests {
    /** The kinds of requests. */
    public enum Kind {
        READ,
        ACQUIRE,
        RENEW,
        PROCLAIM,
        /** A release, of any record. */
        LET_GO
    }

    private final Spacing spacing;
    private final FlightCheck flight;
    private final LookCheck looks;
    /** Reasons why an acquire may have to wait. */
    private final PaceCheck refused;

    private final PaceCheck doubted;
    private final PaceCheck faulted;
    private final PaceCheck renewals;
    private final PaceCheck proclaims;
    private final PaceCheck releases;

    private @Nullable Kind pending;
    private long untilNanos;
    private boolean mayBeGivenUp;
    private @Nullable Object session;
    private @Nullable Object released;
    private int refusals;
    private boolean isRefusalMissed;
    private long triedNanos;

    /** {@code who} names the client and the election. */
    public ElectionRequests(String who, Spacing spacing, Judge judge) {
        this.spacing = spacing;
        this.flight = new FlightCheck(who, judge);
        this.looks = new LookCheck(who, spacing, judge);
        this.refused = new PaceCheck(who, "asks for the lead, which was refused,", spacing.upTo(0), judge);
        this.doubted =
                new PaceCheck(who, "asks for the lead, which was not answered,", spacing.upTo(spacing.poll()), judge);
        this.faulted = new PaceCheck(who, "asks for the lead in spite of a fault,", spacing.upTo(0), judge);
        this.renewals = new PaceCheck(who, "renews", spacing.ofRenewals(), judge);
        this.proclaims = new PaceCheck(who, "proclaims", spacing.upTo(spacing.poll()), judge);
        this.releases = new PaceCheck(who, "releases", spacing.upTo(spacing.poll()), judge);
    }

    /** A request is sent; {@code of} is the session to acquire under or the attempt to release, if any. */
    public void asks(Kind kind, @Nullable Object of, long nanos, long untilNanos) {
        timeOut(nanos);
        flight.asks(kind == Kind.READ, nanos, untilNanos);
        switch (kind) {
            case READ -> looks.looks(nanos);
            case ACQUIRE -> acquires(of, nanos);
            case RENEW -> renewals.tries(nanos);
            case PROCLAIM -> proclaims.tries(nanos);
            case LET_GO -> {
                if (of == null || !of.equals(released)) {
                    releases.reset();
                    released = of;
                }
                releases.tries(nanos);
            }
        }
        this.pending = kind;
        this.untilNanos = untilNanos;
        this.mayBeGivenUp = false;
    }

    private void acquires(@Nullable Object under, long nanos) {
        if (under != session) {
            // An attempt under a session that is over leaves no doubt, whether unanswered or taken for that.
            doubted.reset();
            if (isRefusalMissed) {
                refused.permits();
            }
            session = under;
        }
        isRefusalMissed = false;
        refused.tries(nanos);
        doubted.tries(nanos);
        faulted.tries(nanos);
        renewals.reset();
        triedNanos = nanos;
    }

    /** Drops the request in flight once it has timed out. */
    private void timeOut(long nanos) {
        if (pending != null && nanos >= untilNanos) {
            fail(untilNanos);
        }
    }

    /** Ends the request in flight and returns its kind; null if nothing is awaited. */
    private @Nullable Kind take(long nanos) {
        timeOut(nanos);
        Kind kind = pending;
        pending = null;
        flight.ended();
        return kind;
    }

    /** The request in flight was answered; {@code isHeld}: with a record; {@code isOwn}: that of the newest attempt. */
    public void answered(long nanos, boolean isHeld, boolean isOwn) {
        Kind kind = take(nanos);
        if (kind == null) {
            return;
        }
        if (isOwn) {
            refusals = 0;
            refused.reset();
            doubted.reset();
        }
        if (kind == Kind.READ) {
            looks.answered(nanos);
            if (isHeld || nanos - triedNanos >= spacing.poll() / 2) {
                refusals = 0;
            }
        } else {
            renewals.reset();
            releases.reset();
        }
        if (kind != Kind.READ || isOwn) {
            looks.wanted();
        }
        if (kind == Kind.PROCLAIM) {
            proclaims.reset();
        }
    }

    /** The acquire in flight was refused; {@code byHolder}: because the key is held. */
    public void refused(long nanos, boolean byHolder, long retryAfterNanos) {
        if (take(nanos) != null) {
            refusals++;
            long pause = spacing.afterRefusals(refusals, byHolder);
            refused.pause(nanos + Math.max(pause, Math.min(retryAfterNanos, spacing.coolDownMost())));
            doubted.calm();
            looks.wanted();
        }
    }

    /**
     * The client may have come to the last refusal only after its timeout, and taken it for no answer, which does not
     * delay an attempt under another session. Counts for the next acquire.
     */
    public void perhapsMissedRefusal() {
        isRefusalMissed = true;
    }

    /** The request in flight will get no answer. */
    public void failed(long nanos) {
        timeOut(nanos);
        if (pending != null) {
            fail(nanos);
        }
    }

    /** The request in flight fails, and others will until somebody changes something. */
    public void faulted(long nanos) {
        timeOut(nanos);
        Kind kind = pending;
        boolean isHeard = kind != null && (kind != Kind.READ || !mayBeGivenUp);
        failed(nanos);
        if (isHeard) {
            faulted.pause(nanos + Spacing.least(spacing.fault()));
            if (kind == Kind.READ) {
                looks.faulted(nanos);
            }
        }
    }

    private void fail(long nanos) {
        Kind kind = pending;
        pending = null;
        flight.ended();
        if (kind == Kind.READ) {
            if (!mayBeGivenUp) {
                looks.failed(nanos);
            }
        } else if (kind == Kind.ACQUIRE) {
            doubted.failed(nanos);
            looks.wanted();
        } else if (kind == Kind.RENEW) {
            renewals.failed(nanos);
        } else if (kind == Kind.PROCLAIM) {
            proclaims.failed(nanos);
        } else {
            releases.failed(nanos);
            looks.wanted();
        }
    }

    /** A hint or a listing shows what the key holds. */
    public void hinted(long nanos) {
        timeOut(nanos);
        looks.hinted(nanos);
    }

    /** See {@link LookCheck#showsLife}. */
    public void showsLife(long leaseOverNanos) {
        looks.showsLife(leaseOverNanos);
    }

    /** Something else asks for a look: a gap, a late answer, a watcher. */
    public void wantsLook(long nanos) {
        timeOut(nanos);
        looks.wanted();
    }

    /** A value is waiting to be published. */
    public void wantsProclaim(long nanos) {
        timeOut(nanos);
        proclaims.reset();
    }

    /** A candidacy begins: it looks at once, and earlier failures do not count as its own. */
    public void campaigns(long nanos) {
        wantsLook(nanos);
        refusals = 0;
        doubted.calm();
    }

    /** The client's role changed; {@code won}: it holds the record. A look in flight may be given up. */
    public void changed(long nanos, boolean won) {
        timeOut(nanos);
        flight.givesUpLook();
        mayBeGivenUp = true;
        looks.changed();
        releases.reset();
        if (won) {
            looks.won();
            refusals = 0;
            refused.reset();
            doubted.reset();
        }
    }

    /** The next failure counts as the first: nobody knows whether the client counted those before. */
    public void forgetsFailures() {
        refusals = 0;
        doubted.calm();
        renewals.calm();
        proclaims.calm();
        releases.calm();
    }
}
