package dev.mandate.simulator.world;

import dev.mandate.engine.Now;
import dev.mandate.engine.Role;
import dev.mandate.engine.SessionLease;
import dev.mandate.engine.View;
import dev.mandate.simulator.check.CallbackCheck;
import dev.mandate.simulator.check.ViewCheck;
import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/** What one client was asked to do in one election, and what is known from outside about how it stands there. */
final class Post {
    final Candidate candidate;
    final int election;
    final RecordKey key;
    final CallbackCheck callbacks;
    final ViewCheck views;

    /** Whether it was asked to stand and not yet to withdraw. */
    boolean stands;

    /** Whether it was asked to stand again, as soon as it is withdrawn. */
    boolean standsNext;

    boolean observes;

    @Nullable
    Reign reign;

    View told = View.UNKNOWN;
    long pendingRequest = -1;
    long pendingUntilNanos;
    /** What was asked of the store in this election. */
    final Tries tries = new Tries();

    /** The newest attempt that was sent, what it was sent under, and when. */
    @Nullable
    Id attempt;

    @Nullable
    SessionLease attemptSession;

    @Nullable
    Now attemptSent;

    /** True time of that. */
    long attemptSentAt;

    boolean attemptBegun;
    /** There once was a reason to release the newest attempt although it never led. */
    boolean gaveUp;

    /** A term that was asked to end by its user. */
    long commandedTerm;

    private boolean cools;
    private boolean stopping;
    private long cooledFromNanos;
    private long coolUntilNanos;
    private int endsInARow;
    long proclaims;

    private @Nullable Id excused;
    private long excusedUntil;
    private @Nullable Id askedToLeave;

    Post(Candidate candidate, int election) {
        this.candidate = candidate;
        this.election = election;
        this.key = World.key(election);
        String who = "candidate " + candidate.index + " in election " + election;
        this.callbacks = new CallbackCheck(who, candidate.world.judge);
        this.views = new ViewCheck(who, candidate.world.judge);
    }

    /** The attempt was taken away by force: it may believe on for a while. */
    void excuse(Id attempt, long untilTrueNanos) {
        excused = attempt;
        excusedUntil = Math.max(excusedUntil, untilTrueNanos);
    }

    /** While its process is frozen it cannot see that it was forced out. */
    void excuseLonger(long trueNanos) {
        if (excused != null && candidate.world.now < excusedUntil) {
            excusedUntil += trueNanos;
        }
    }

    boolean isExcused(Id attempt) {
        return attempt.equals(excused) && candidate.world.now <= excusedUntil;
    }

    /** A term that lasted {@code lastedNanos} ended by will or by its work: the least pause that calls for. */
    void coolDown(long lastedNanos) {
        long most = candidate.timing.coolDownNanos(Integer.MAX_VALUE);
        endsInARow = lastedNanos >= most ? 1 : endsInARow + 1;
        cools = true;
        stopping = true;
        coolUntilNanos = candidate.get().monotonicNanos() + candidate.timing.coolDownNanos(endsInARow);
    }

    /** The cool-down begins when all of that term is cleared away. */
    void lookWhetherStopped() {
        if (stopping && !(candidate.machine.role(key) instanceof Role.Stopping)) {
            stopping = false;
            cooledFromNanos = candidate.get().monotonicNanos();
            coolUntilNanos = cooledFromNanos + candidate.timing.coolDownNanos(endsInARow);
        }
    }

    /** A new candidacy: what ended longer ago than the longest cool-down is not in a row with its terms. */
    void standAnew() {
        long most = candidate.timing.coolDownNanos(Integer.MAX_VALUE);
        if (cools && !stopping && candidate.get().monotonicNanos() - cooledFromNanos >= most) {
            endsInARow = 0;
        }
    }

    /** The most that may be left of it, if its term takes no longer than {@code stopNanos} to be cleared away. */
    long coolDownMostNanos(long stopNanos) {
        return stopping ? stopNanos + candidate.timing.coolDownNanos(endsInARow) : Math.max(0, coolDownLeftNanos());
    }

    /** What is left of it; 0 or less if nothing is. */
    long coolDownLeftNanos() {
        return cools ? coolUntilNanos - candidate.get().monotonicNanos() : 0;
    }

    void askToLeave(Id attempt) {
        askedToLeave = attempt;
    }

    boolean wasAskedToLeave(Id attempt) {
        return attempt.equals(askedToLeave);
    }

    /** The term that is announced and not ended, or null. */
    @Nullable
    Reign open() {
        Reign last = reign;
        return last == null || last.isEnded ? null : last;
    }

    boolean hasRunningWork() {
        Reign last = reign;
        return last != null && last.isWorking;
    }
}
