package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.LeaseCell;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import dev.mandate.engine.SessionEvent;
import dev.mandate.engine.SessionLease;
import dev.mandate.engine.Term;
import dev.mandate.simulator.check.Claim;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.StoreSession;
import org.jspecify.annotations.Nullable;

/** One announced term and its work. */
final class Reign implements Claim {
    final Post post;
    final Term term;
    final @Nullable SessionLease session;
    final long beganNanos;
    boolean isEnded;
    boolean isWorking = true;
    /** Whether its work never ends. */
    boolean isStuck;

    /** Whether its overrun was reported. */
    boolean isOverrun;

    long overrunNanos;
    /** Once it has ended: by when its work must have stopped. */
    private long stopByNanos;
    /** Whether it was asked and answered "no". */
    private boolean denied;

    /** When the attempt that won it was sent. */
    final long sentNanos;

    /** When the request was sent whose answer last showed its record. */
    private long seenNanos;

    Reign(Post post, Term term, long beganNanos) {
        this.post = post;
        this.term = term;
        this.session = post.attemptSession;
        this.sentNanos = post.attemptSent == null ? beganNanos : post.attemptSent.monotonicNanos();
        this.beganNanos = beganNanos;
        this.seenNanos = sentNanos;
    }

    /** Tells the machine that a caller saw the end of its belief first. */
    void tellLatched() {
        if (session != null) {
            post.candidate.deliver(new SessionEvent.Latched(session));
        } else {
            post.candidate.deliver(post, new ElectionEvent.TermLatched(term.number()));
        }
    }

    /** The answer to a request sent at {@code askedNanos} showed this. Looks from before its Begin may not count. */
    void shown(@Nullable Observation seen, long askedNanos) {
        if (seen instanceof Observation.Held held && held.isAttempt(attempt()) && askedNanos >= beganNanos) {
            seenNanos = Math.max(seenNanos, askedNanos);
        }
    }

    /** Whether no look has shown its record for longer than allowed. */
    boolean isUnseen() {
        return post.candidate.get().monotonicNanos() - seenNanos >= post.candidate.timing.sightNanos();
    }

    boolean isUnder(StoreSession handle) {
        return session != null && session.handle() == handle;
    }

    /** Asks the real term, which may latch; returns what a caller of {@code isValid()} would see. */
    LeaseCell.Verdict ask() {
        LeaseCell.Verdict verdict = term.check(post.candidate);
        boolean believed = verdict == LeaseCell.Verdict.OPEN;
        if (denied) {
            post.candidate.world.deadlines.askedAgain(toString(believed), believed);
        }
        denied |= !believed;
        return verdict;
    }

    private String toString(boolean wanted) {
        return wanted ? toString() : "";
    }

    @Override
    public boolean isBelieved() {
        if (!post.candidate.isUp) {
            return false;
        }
        if (post.candidate.world.knobs.asks) {
            LeaseCell.Verdict verdict = ask();
            if (verdict == LeaseCell.Verdict.LATCHED_NOW) {
                post.candidate.latched(this);
            }
            return verdict == LeaseCell.Verdict.OPEN;
        }
        return term.remainingNanos(post.candidate.get()) > 0;
    }

    /** Whether its belief is over by any clock, or was latched. */
    boolean isBeliefOver() {
        return term.cell().isLatched() || isStopPassed();
    }

    private boolean isStopPassed() {
        return term.cell().window().isStopPassed(post.candidate.get());
    }

    /** Whether its lease is over or was given up for a cause. */
    boolean isLeaseOver() {
        return isStopPassed() || term.cell().isLatched() && mayBeLatched();
    }

    /**
     * Whether a lease that is not over may be latched. A session's is only when it is known to be over, its client
     * closes, an election cannot let go, or the wall clock was set.
     */
    private boolean mayBeLatched() {
        Candidate candidate = post.candidate;
        return session == null
                || ((SimSession) session.handle()).isKnownOver
                || candidate.isClosing
                || candidate.traffic.isLettingGo()
                || candidate.clock.wasSet();
    }

    /** Ends it. If its lease ran out, its deadline bounds its work, else a drain budget from now on. */
    void end() {
        isEnded = true;
        LeaseWindow window = term.cell().window();
        Now now = post.candidate.get();
        stopByNanos =
                window.isStopPassed(now) ? window.endAtNanos() : now.monotonicNanos() + window.drainTimeoutNanos();
    }

    /**
     * For how long its work has run beyond its deadline unreported, on its machine's clock; negative if it does not.
     */
    long unreportedNanos() {
        return isEnded && isWorking && !isOverrun
                ? post.candidate.get().monotonicNanos() - stopByNanos
                : Long.MIN_VALUE;
    }

    @Override
    public int candidate() {
        return post.candidate.index;
    }

    @Override
    public long term() {
        return term.number();
    }

    @Override
    public Id attempt() {
        return term.attempt();
    }

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    @Override
    public boolean isExcused() {
        return post.isExcused(term.attempt());
    }

    @Override
    public boolean isWorkExcused() {
        return post.isWorkExcused(term.attempt());
    }

    @Override
    public boolean isWorking() {
        return isWorking && post.candidate.isUp;
    }

    @Override
    public boolean isOverrun() {
        LeaseWindow window = term.cell().window();
        return isOverrun || window.isEndPassed(post.candidate.get());
    }

    @Override
    public String toString() {
        return "term " + term.number() + " of candidate " + post.candidate.index + " in election " + post.election;
    }
}
