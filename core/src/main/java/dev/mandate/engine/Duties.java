package dev.mandate.engine;

import dev.mandate.engine.Pending.Kind;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Stance;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an election has to do at an instant. That depends on the role and the clock alone, never on the event, so that
 * a lost event costs only time. {@link #wakeAtNanos()} must name every instant at which {@link #startWhatIsDue()}
 * would do something.
 */
final class Duties {

    /** How many unanswered tries to erase a leftover are made. */
    private static final int ERASES_MAX = 3;

    private final ElectionState state;
    private final Transitions transitions;
    private final ElectionSettings settings;
    private final Wanted wanted;
    private final Outbox outbox;
    private final Sightings sightings;
    private final Pace pace;
    private final Work work;
    private final Turn turn;

    /** The stance that was announced last. */
    private Stance stance = Stance.Absent.INSTANCE;

    /** What is left of a place that was given up, to be erased; null for nothing. */
    private Observation.@Nullable Vacant leftover;

    private int erases;

    Duties(ElectionState state, Transitions transitions) {
        this.state = state;
        this.transitions = transitions;
        this.settings = state.settings;
        this.wanted = state.wanted;
        this.outbox = state.outbox;
        this.sightings = state.sightings;
        this.pace = state.pace;
        this.work = state.work;
        this.turn = state.turn;
    }

    void startWhatIsDue() {
        if (state.role instanceof Role.Stopping stopping) {
            proceedStopping(stopping);
        }
        if (state.role instanceof Role.Settling settling && state.nanos() >= settling.untilNanos()) {
            transitions.begin(settling.term(), settling.held());
        }
        lookForTurn();
        if (state.role instanceof Role.Leading leading) {
            proceedHolding(leading.held());
        } else if (state.role instanceof Role.Settling settling) {
            proceedHolding(settling.held());
        } else if (state.role instanceof Role.Following) {
            proceedFollowing();
        } else if (state.role instanceof Role.Doubting) {
            readIfDue();
        }
        if (wanted.withdraws() && state.isGone()) {
            wanted.withdrawn();
            // If a write of this candidacy still lands, it is a stray to the next.
            state.attempt = null;
            outbox.announce(new ElectionAction.Withdrawn(state.key));
            String next = wanted.takeNext();
            if (next != null) {
                campaign(next);
            }
        }
    }

    void campaign(String value) {
        pace.stand(state.nanos());
        // First: if this fails, the next command to campaign does it all.
        wakeUp();
        wanted.campaign(value);
        leftover = null;
    }

    /** Our record is gone; {@code seen} shows its key now. */
    void leaves(@Nullable Observation seen) {
        if (settings.erases() && !wanted.campaigns() && seen instanceof Observation.Vacant vacant) {
            leftover = vacant;
            erases = 0;
        }
    }

    /** The leftover is gone, or others will tidy it. */
    void erased() {
        leftover = null;
    }

    /** Whether the leftover is gone is unknown. */
    void eraseUnanswered() {
        sightings.outdated();
        if (++erases >= ERASES_MAX) {
            leftover = null;
        }
    }

    void wakeUp() {
        if (state.role == Role.Idle.INSTANCE) {
            pace.start(state.nanos());
            state.role = Role.Following.INSTANCE;
        } else if (state.role instanceof Role.Following) {
            // Until now it only waited for a late record of ours, with rare reads.
            pace.lookSoon(state.nanos());
        }
    }

    /** Whether a write on our record may be sent: nothing but a read is pending, and the record is not in doubt. */
    boolean mayWrite() {
        return outbox.isFree() && !state.looksFirst;
    }

    void proceedStopping(Role.Stopping stopping) {
        Observation.Held held = stopping.held();
        if (held == null || isCertainlyOver()) {
            // A write still under way is answered or times out first: one request at a time.
            if (outbox.isFree()) {
                outbox.abandonRead();
                transitions.stopped();
                leaves(sightings.latest());
            }
        } else if (work.allowsRelease(state.nanos())) {
            release(held);
        } else {
            LeaseWindow window = state.attemptWindow();
            if (window != null && !window.isEndPassed(state.now)) {
                // Covers the work that is being stopped. Never renewed after our own deadline, when others
                // may take the record.
                renewIfDue(held);
            }
            readIfDue();
        }
    }

    void release(Observation.Held held) {
        Attempt attempt = state.attempt;
        if (mayWrite() && state.nanos() >= state.releaseAtNanos) {
            work.uncover();
            if (attempt != null) {
                attempt.releasedSinceNanos = Math.min(attempt.releasedSinceNanos, state.nanos());
            }
            outbox.release(Kind.RELEASE, held, state.now);
        } else {
            readIfDue();
        }
        SessionLease session = state.attemptSession();
        if (state.isReleasedInVain() && session != null && !settings.registers()) {
            // The session would keep alive for ever what nobody can release, so all its terms end, and the session with
            // them. A registration is not worth that: its record stays until it can be released, or the session ends.
            session.cell().latch();
        }
    }

    /** Where each record has its own lease, an unrenewed record dies by itself, and asking any longer is pointless. */
    boolean isCertainlyOver() {
        Attempt attempt = state.attempt;
        return attempt != null
                && attempt.window() != null
                && work.allowsRelease(state.nanos())
                && state.nanos() - attempt.prolongedAtNanos >= settings.freedNanos();
    }

    void proceedHolding(Observation.Held held) {
        renewIfDue(held);
        String value = state.proclaims == null ? null : state.proclaims.due(state.nanos());
        if (value != null && state.role instanceof Role.Leading && mayWrite() && leavesTimeToRenew()) {
            prolongs();
            outbox.update(Kind.PROCLAIM, held, held.record().withValue(value), Intent.PROCLAIM, state.now);
        }
        readIfDue();
    }

    /** Whether a value can be published without costing a renewal one of its tries. */
    boolean leavesTimeToRenew() {
        return settings.sharesSession() || state.nanos() + settings.timing().requestTimeoutNanos() <= renewAtNanos();
    }

    void renewIfDue(Observation.Held held) {
        if (!settings.sharesSession() && mayWrite() && state.nanos() >= renewAtNanos()) {
            prolongs();
            outbox.update(Kind.RENEW, held, held.record(), Intent.RENEW, state.now);
        }
    }

    private long renewAtNanos() {
        return state.attempt == null ? Long.MAX_VALUE : state.attempt.renewAtNanos;
    }

    /** The next write may prolong the record's lease, answered or not. */
    private void prolongs() {
        if (state.attempt != null) {
            state.attempt.prolongedAtNanos = state.nanos();
        }
    }

    void proceedFollowing() {
        Observation.Held mess = state.stray;
        if (mess != null && work.allowsRelease(state.nanos())) {
            if (outbox.isFree() && state.nanos() >= state.releaseAtNanos) {
                outbox.release(Kind.REMOVE_STRAY, mess, state.now);
            } else {
                readIfDue();
            }
            return;
        }
        if (leftover != null && outbox.isFree()) {
            outbox.erase(leftover, state.now);
            return;
        }
        if (!wanted.campaigns() && !wanted.observes() && state.lateAcquires.isEmpty() && mess == null) {
            outbox.abandonRead();
            state.role = outbox.pending() == null ? Role.Idle.INSTANCE : state.role;
            return;
        }
        Observation basis = mayTry() ? sightings.takeable(state.nanos()) : null;
        if (basis != null && outbox.isFree() && (!settings.ordered() || turn.isDue(state.nanos()))) {
            acquire(basis);
        } else {
            readIfDue();
        }
    }

    boolean mayTry() {
        return wanted.campaigns() && !work.isRunning() && state.nanos() >= pace.tryAtNanos() && hasWhatKeepsALease();
    }

    boolean hasWhatKeepsALease() {
        return !settings.sharesSession() || state.session != null && state.session.isOpen(state.now);
    }

    // ---- whose turn it is ----

    /**
     * The wait for a turn begins with a vacancy that may be taken, and ends with it: when this candidate sees a holder
     * that was silent for less than its lease, or can take nothing any more. Neither a pause nor a hint that calls for
     * a read ends it: they might come for ever.
     */
    void lookForTurn() {
        if (!settings.ordered()) {
            return;
        }
        boolean isVacant = sightings.takeable(state.nanos()) != null;
        if (!isCandidate() || !isVacant && !sightings.isOutdated()) {
            turn.end();
        } else if (isVacant && !isHeldOff()) {
            turn.begin(state.nanos());
        }
    }

    /** Whether only a holder, or a pause, keeps it from trying to acquire. */
    boolean isCandidate() {
        boolean holds = state.role instanceof Role.Idle || state.isHoldingRecord();
        return !holds && wanted.campaigns() && !work.isRunning() && state.stray == null && hasWhatKeepsALease();
    }

    /** Whether it pauses for another reason than a lost race. */
    boolean isHeldOff() {
        return state.nanos() < pace.tryAtNanos() && (outbox.isFaulty() || pace.isCooling(state.nanos()));
    }

    /** Whether it may take a place in a queue: as soon as it could lead if nobody else did. */
    boolean mayQueue() {
        return isCandidate() && !isHeldOff();
    }

    Stance stance() {
        if (state.role instanceof Role.Leading leading) {
            return new Stance.Leading(leading.term().number());
        } else if (state.role instanceof Role.Settling settling) {
            return new Stance.Settling(settling.term().number());
        } else if (!isCandidate() || isHeldOff()) {
            return Stance.Absent.INSTANCE;
        }
        return turn.isSought() ? Stance.Seeking.INSTANCE : new Stance.Following(sightings.leaderTerm());
    }

    void tellStance() {
        if (!settings.ordered()) {
            return;
        }
        Stance stands = stance();
        if (!stands.equals(stance)) {
            stance = stands;
            outbox.announce(new ElectionAction.Stood(state.key, stands));
        }
    }

    void acquire(Observation basis) {
        Id id = state.entropy.nextId();
        SessionLease session = settings.sharesSession() ? state.session : null;
        LeaseWindow window =
                settings.sharesSession() ? null : settings.timing().window(state.now, settings.grantedAtLeastNanos());
        Attempt attempt = new Attempt(
                id,
                session,
                window,
                state.nanos(),
                state.nanos() + settings.timing().requestTimeoutNanos());
        attempt.renewAtNanos = state.renewAt(state.nanos(), settings.grantedAtLeastNanos());
        state.attempt = attempt;
        state.looksFirst = false;
        state.doubtfulRequest = -1;
        state.role = new Role.Acquiring(id);
        pace.acquiring(state.nanos());
        LeaseTiming timing = session == null ? settings.timing() : session.timing();
        LeaderRecord proposal = LeaderRecord.proposal(
                settings.candidate(),
                settings.incarnation(),
                id,
                wanted.value(),
                Duration.ofNanos(timing.leaseNanos()),
                state.now.wallMillis());
        outbox.acquire(basis, settings.queue() == null ? proposal : proposal.withOrder(Queue.WORD), session, state.now);
    }

    void readIfDue() {
        if (outbox.pending() == null && state.nanos() >= pace.readAtNanos()) {
            pace.reading(state.nanos());
            outbox.read(state.now);
        }
    }

    // ---- when ----

    /** When {@link ElectionEvent.Tick} is wanted; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos() {
        long wake = work.wakeAtNanos(state.nanos());
        Pending asked = outbox.pending();
        if (asked != null) {
            wake = Math.min(wake, asked.untilNanos());
        }
        if (wanted.campaigns() || wanted.observes()) {
            wake = Math.min(
                    wake, state.ownRecord() == null ? sightings.viewChangesAtNanos(state.nanos()) : Long.MAX_VALUE);
        }
        if (state.isHoldingRecord()) {
            wake = Math.min(wake, holdingWakeAtNanos(mayWrite()));
        } else if (state.role instanceof Role.Following && state.stray != null) {
            wake = outbox.isFree() && work.allowsRelease(state.nanos()) ? Math.min(wake, state.releaseAtNanos) : wake;
        } else if (state.role instanceof Role.Following && mayTryOnceTimeHasPassed()) {
            wake = Math.min(wake, followingWakeAtNanos(outbox.isFree()));
        }
        boolean looks = !(state.role instanceof Role.Idle) && !(state.role instanceof Role.Acquiring);
        return looks && asked == null ? Math.min(wake, pace.readAtNanos()) : wake;
    }

    long followingWakeAtNanos(boolean free) {
        long vacant = sightings.takeableAtNanos();
        if (settings.ordered() && !turn.isSought()) {
            return isHeldOff() ? Math.max(pace.tryAtNanos(), vacant) : vacant;
        }
        long mayTryAt = Math.max(pace.tryAtNanos(), vacant);
        if (settings.ordered()) {
            mayTryAt = Math.max(mayTryAt, turn.atNanos());
        }
        return free ? mayTryAt : Long.MAX_VALUE;
    }

    long holdingWakeAtNanos(boolean free) {
        long wake = Long.MAX_VALUE;
        Attempt attempt = state.attempt;
        if (attempt == null) {
            return wake;
        }
        LeaseWindow window = attempt.window();
        if (state.role instanceof Role.Stopping stopping) {
            if (stopping.held() == null || !free) {
                return wake;
            }
            if (work.allowsRelease(state.nanos())) {
                // Where each record has its own lease, it is certainly over at some time, released or not.
                return settings.sharesSession()
                        ? state.releaseAtNanos
                        : Math.min(state.releaseAtNanos, attempt.prolongedAtNanos + settings.freedNanos());
            }
            return window == null || window.isEndPassed(state.now) ? wake : attempt.renewAtNanos;
        }
        if (state.role instanceof Role.Settling settling) {
            wake = settling.untilNanos();
        }
        wake = Math.min(wake, attempt.sightUntilNanos);
        if (window != null) {
            wake = Math.min(wake, window.stopAtNanos(state.now));
            wake = free ? Math.min(wake, attempt.renewAtNanos) : wake;
        }
        return free && state.proclaims != null && leavesTimeToRenew()
                ? Math.min(wake, state.proclaims.tryAtNanos())
                : wake;
    }

    boolean mayTryOnceTimeHasPassed() {
        return wanted.campaigns()
                && !work.isRunning()
                && state.stray == null
                && (!settings.sharesSession()
                        || state.session != null && !state.session.cell().isLatched());
    }
}
