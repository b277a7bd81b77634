package dev.mandate.simulator.world;

import dev.mandate.LossReason;
import dev.mandate.engine.Now;
import dev.mandate.engine.Role;
import dev.mandate.engine.SessionLease;
import dev.mandate.engine.View;
import dev.mandate.simulator.check.CallbackCheck;
import dev.mandate.simulator.check.TurnCheck;
import dev.mandate.simulator.check.ValueCheck;
import dev.mandate.simulator.check.ViewCheck;
import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one client was asked to do in one election, and what is known from outside about how it stands there. */
final class Post {
    final Candidate candidate;
    final int election;
    final RecordKey key;
    final CallbackCheck callbacks;
    final ViewCheck views;
    final ValueCheck values;
    final TurnCheck turns;
    /** How it said that it stands. */
    Stance stance = Stance.Absent.INSTANCE;

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
    /** When an acquire or a look was last answered by a fault, on its client's monotonic clock: the next look is made slowly. */
    long faultedNanos = Long.MIN_VALUE;

    /** The last attempt that was found and had to end before it began a term, but called for a cool-down as a term does. */
    @Nullable
    Id endedBeforeItBegan;

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
    /** The value that its client was last told of. */
    @Nullable
    String hintedValue;

    private @Nullable Id excused;
    private long excusedAt;
    private long excusedUntil;
    private long workExcusedUntil;
    private @Nullable Id askedToLeave;

    Post(Candidate candidate, int election) {
        this.candidate = candidate;
        this.election = election;
        this.key = World.key(election);
        String who = "candidate " + candidate.index + " in election " + election;
        this.callbacks = new CallbackCheck(who, candidate.world.judge);
        this.views = new ViewCheck(
                who, election, candidate.world.chronicle, candidate.world.silences, candidate.world.judge);
        this.turns = new TurnCheck(
                who, candidate.timing.stepNanos(), candidate.world.knobs.queue != null, candidate.world.judge);
        this.values = new ValueCheck(who, election, candidate.world.chronicle, candidate.world.judge);
    }

    /** The attempt was taken away by force: it may believe on until {@code until}, and its work run until {@code workUntil}, in true time. */
    void excuse(Id attempt, long until, long workUntil) {
        boolean again = attempt.equals(excused);
        excused = attempt;
        excusedAt = candidate.world.now;
        excusedUntil = again ? Math.max(excusedUntil, until) : until;
        workExcusedUntil = again ? Math.max(workExcusedUntil, workUntil) : workUntil;
    }

    /** Its process was frozen since {@code frozenAt}: so long it could not see that it was forced out. */
    void thawed(long frozenAt) {
        long missed = candidate.world.now - Math.max(frozenAt, excusedAt);
        excusedUntil += excusedUntil >= frozenAt ? missed : 0;
        workExcusedUntil += workExcusedUntil >= frozenAt ? missed : 0;
    }

    boolean isExcused(Id attempt) {
        return attempt.equals(excused) && candidate.ranUntil() <= excusedUntil;
    }

    /** As {@link #isExcused}, for its drain budget longer. */
    boolean isWorkExcused(Id attempt) {
        return attempt.equals(excused) && candidate.ranUntil() <= workExcusedUntil;
    }

    /** Whether whoever ended a term for this reason leaves the next one to others for a while. */
    static boolean coolsDown(LossReason reason) {
        return reason != LossReason.WITHDRAWN && (reason == LossReason.UNSEEN || !reason.isStoreTrouble());
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

    /** The role, the basis and what bounds the term. */
    List<Object> state() {
        Role role = candidate.machine.role(key);
        if (role instanceof Role.Leading leading) {
            return List.of(role, leading.term().cell().window());
        }
        return List.of(role);
    }

    /** Whoever leads does so by the term that stands in its record. */
    void lookAtOwnRecord() {
        if (open() != null && candidate.machine.role(key) instanceof Role.Leading leading) {
            values.shown(leading.term().number(), leading.held());
        }
    }

    /** Where there is an order, a client says how it stands. */
    void lookAtStance() {
        if (candidate.isUp && candidate.settings.ordered()) {
            Role role = candidate.machine.role(key);
            turns.is(
                    role instanceof Role.Leading leading ? leading.term().number() : 0,
                    role instanceof Role.Settling settling ? settling.term().number() : 0,
                    !(role instanceof Role.Idle || role instanceof Role.Stopping));
        }
    }

    /** The most that may be left of it, if its term takes no longer than {@code stopNanos} to be cleared away. */
    long coolDownMostNanos(long stopNanos) {
        if (attempt != null && wasAskedToLeave(attempt) && !stopping) {
            // It will find out, and cool down for longer than ever.
            return stopNanos + candidate.timing.coolDownNanos(endsInARow + 1);
        }
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

    /** Whether it can never lead again, as long as its process lives. */
    boolean isStuck() {
        Reign last = reign;
        return last != null && last.isWorking && last.isStuck;
    }

    boolean hasRunningWork() {
        Reign last = reign;
        return last != null && last.isWorking;
    }
}
