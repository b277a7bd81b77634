package dev.mandate.engine;

import dev.mandate.engine.Pending.Kind;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Stance;
import org.jspecify.annotations.Nullable;

/**
 * What an election has to do at an instant. That depends on the role and the clock alone, never on the event, so that
 * a lost event costs only time. {@link ElectionState#wakeAtNanos()} must name every instant at which {@link
 * #startWhatIsDue()} would do something.
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
        pace.newCandidacy(state.nanos());
        // First: if this fails, the next command to campaign does it all.
        wakeUp();
        wanted.campaign(value);
        state.leftover = null;
    }

    /** Our record is gone; {@code seen} shows its key now. */
    void leaves(@Nullable Observation seen) {
        if (settings.erases() && !wanted.campaigns() && seen instanceof Observation.Vacant vacant) {
            state.leftover = vacant;
            state.erases = 0;
        }
    }

    /** The leftover is gone, or others will tidy it. */
    void erased() {
        state.leftover = null;
    }

    /** Whether the leftover is gone is unknown. */
    void eraseUnanswered() {
        sightings.outdated();
        if (++state.erases >= ERASES_MAX) {
            state.leftover = null;
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
        if (state.mayWrite() && state.nanos() >= state.releaseAtNanos) {
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
        if (value != null && state.role instanceof Role.Leading && state.mayWrite() && state.leavesTimeToRenew()) {
            prolongs();
            outbox.update(Kind.PROCLAIM, held, held.record().withValue(value), Intent.PROCLAIM, state.now);
        }
        readIfDue();
    }

    void renewIfDue(Observation.Held held) {
        if (!settings.sharesSession() && state.mayWrite() && state.nanos() >= state.renewAtNanos()) {
            prolongs();
            outbox.update(Kind.RENEW, held, held.record(), Intent.RENEW, state.now);
        }
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
        if (state.leftover != null && outbox.isFree()) {
            outbox.erase(state.leftover, state.now);
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
        return wanted.campaigns()
                && !work.isRunning()
                && state.nanos() >= pace.tryAtNanos()
                && state.hasWhatKeepsALease();
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
        if (!state.isCandidate() || !isVacant && !sightings.isOutdated()) {
            turn.end();
        } else if (isVacant && !state.isHeldOff()) {
            turn.begin(state.nanos());
        }
    }

    Stance stance() {
        if (state.role instanceof Role.Leading leading) {
            return new Stance.Leading(leading.term().number());
        } else if (state.role instanceof Role.Settling settling) {
            return new Stance.Settling(settling.term().number());
        } else if (!state.isCandidate() || state.isHeldOff()) {
            return Stance.Absent.INSTANCE;
        }
        return turn.isSought() ? Stance.Seeking.INSTANCE : new Stance.Following(sightings.leaderTerm());
    }

    void tellStance() {
        if (!settings.ordered()) {
            return;
        }
        Stance current = stance();
        if (!current.equals(state.stance)) {
            state.stance = current;
            outbox.announce(new ElectionAction.Stood(state.key, current));
        }
    }

    void acquire(Observation basis) {
        Id id = state.shared.entropy().nextId();
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
                timing.lease(),
                state.now.wallMillis());
        outbox.acquire(basis, settings.queue() == null ? proposal : proposal.withOrder(Queue.WORD), session, state.now);
    }

    void readIfDue() {
        if (outbox.pending() == null && state.nanos() >= pace.readAtNanos()) {
            pace.reading(state.nanos());
            outbox.read(state.now);
        }
    }
}
