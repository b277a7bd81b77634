package dev.mandate.simulator.world;

import dev.mandate.EndReason;
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

/** What one client was told to do in one election, and what is known from outside about its state there. */
final class Post {
    final Candidate candidate;
    final int election;
    final RecordKey key;
    final CallbackCheck callbacks;
    final ViewCheck views;
    final ValueCheck values;
    final TurnCheck turns;
    /** The stance that it reported last. */
    Stance stance = Stance.Absent.INSTANCE;

    /** Whether it was told to campaign and not yet to withdraw. */
    boolean stands;

    /** Whether it was told to campaign again as soon as it is withdrawn. */
    boolean standsNext;

    boolean observes;

    @Nullable
    Reign reign;

    View told = View.UNKNOWN;
    long pendingRequest = -1;
    long pendingUntilNanos;
    /** Its requests in this election. */
    final Tries tries = new Tries();

    /** The newest attempt that was sent, under which session, and when. */
    @Nullable
    Id attempt;

    @Nullable
    SessionLease attemptSession;

    @Nullable
    Now attemptSent;

    /** The true time of that. */
    long attemptSentAt;

    boolean attemptBegun;
    /** When a fault last answered an acquire or a look, on its client's monotonic clock; the next look is slow. */
    long faultedNanos = Long.MIN_VALUE;

    /** The last attempt that was found and ended before it began a term, but called for a cool-down as a term does. */
    @Nullable
    Id endedBeforeItBegan;

    /** Whether there ever was a reason to release the newest attempt although it never led. */
    boolean gaveUp;

    /** The term that its user told to end. */
    long commandedTerm;

    private boolean cools;
    private boolean stopping;
    private long cooledFromNanos;
    private long coolUntilNanos;
    private int endsInARow;
    long proclaims;
    /** The value that hints last showed its client. */
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

    /** The attempt was forced out: until these true times it may still believe, and its work may run. */
    void excuse(Id attempt, long until, long workUntil) {
        boolean again = attempt.equals(excused);
        excused = attempt;
        excusedAt = candidate.world.now;
        excusedUntil = again ? Math.max(excusedUntil, until) : until;
        workExcusedUntil = again ? Math.max(workExcusedUntil, workUntil) : workUntil;
    }

    /** Extends excuses, because from {@code frozenAt} on its process could not see that it was forced out. */
    void thawed(long frozenAt) {
        long missed = candidate.world.now - Math.max(frozenAt, excusedAt);
        excusedUntil += excusedUntil >= frozenAt ? missed : 0;
        workExcusedUntil += workExcusedUntil >= frozenAt ? missed : 0;
    }

    boolean isExcused(Id attempt) {
        return attempt.equals(excused) && candidate.ranUntil() <= excusedUntil;
    }

    /** Like {@link #isExcused}, but one drain budget longer. */
    boolean isWorkExcused(Id attempt) {
        return attempt.equals(excused) && candidate.ranUntil() <= workExcusedUntil;
    }

    /** Whether a term that ended for this reason is followed by a cool-down. */
    static boolean coolsDown(EndReason reason) {
        return reason != EndReason.WITHDRAWN && (reason == EndReason.UNSEEN || !reason.isStoreTrouble());
    }

    /** A term of {@code lastedNanos} ended by will or by its work: starts the least cool-down that this calls for. */
    void coolDown(long lastedNanos) {
        long most = candidate.timing.coolDownNanos(Integer.MAX_VALUE);
        endsInARow = lastedNanos >= most ? 1 : endsInARow + 1;
        cools = true;
        stopping = true;
        coolUntilNanos = candidate.get().monotonicNanos() + candidate.timing.coolDownNanos(endsInARow);
    }

    /** Starts the cool-down once all of that term is cleared away. */
    void lookWhetherStopped() {
        if (stopping && !(candidate.machine.role(key) instanceof Role.Stopping)) {
            stopping = false;
            cooledFromNanos = candidate.get().monotonicNanos();
            coolUntilNanos = cooledFromNanos + candidate.timing.coolDownNanos(endsInARow);
        }
    }

    /** A candidacy begins: terms that ended longer ago than the longest cool-down are not in a row with its own. */
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

    /** A leader's term is that of its record. */
    void lookAtOwnRecord() {
        if (open() != null && candidate.machine.role(key) instanceof Role.Leading leading) {
            values.shown(leading.term().number(), leading.held());
        }
    }

    /** With an order, a client reports its stance. */
    void lookAtStance() {
        if (candidate.isUp && candidate.settings.ordered()) {
            Role role = candidate.machine.role(key);
            turns.is(
                    role instanceof Role.Leading leading ? leading.term().number() : 0,
                    role instanceof Role.Settling settling ? settling.term().number() : 0,
                    !(role instanceof Role.Idle || role instanceof Role.Stopping));
        }
    }

    /** The most that may be left of the cool-down, if clearing away its term takes at most {@code stopNanos}. */
    long coolDownMostNanos(long stopNanos) {
        if (attempt != null && wasAskedToLeave(attempt) && !stopping) {
            // It will notice, and cool down for longer than before.
            return stopNanos + candidate.timing.coolDownNanos(endsInARow + 1);
        }
        return stopping ? stopNanos + candidate.timing.coolDownNanos(endsInARow) : Math.max(0, coolDownLeftNanos());
    }

    /** What is left of the cool-down; 0 or less if nothing is. */
    long coolDownLeftNanos() {
        return cools ? coolUntilNanos - candidate.get().monotonicNanos() : 0;
    }

    void askToLeave(Id attempt) {
        askedToLeave = attempt;
    }

    boolean wasAskedToLeave(Id attempt) {
        return attempt.equals(askedToLeave);
    }

    /** The term that is announced and has not ended, or null. */
    @Nullable
    Reign open() {
        Reign last = reign;
        return last == null || last.isEnded ? null : last;
    }

    /** Whether it can never lead again while its process lives. */
    boolean isStuck() {
        Reign last = reign;
        return last != null && last.isWorking && last.isStuck;
    }

    boolean hasRunningWork() {
        Reign last = reign;
        return last != null && last.isWorking;
    }
}
