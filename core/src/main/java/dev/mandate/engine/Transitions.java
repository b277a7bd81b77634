package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.Observation;
import org.jspecify.annotations.Nullable;

/** How an election's role changes: with what a read shows of its record, and as its terms begin and end. */
final class Transitions {
    private final ElectionState state;
    private final ElectionSettings settings;
    private final Outbox outbox;
    private final Sightings sightings;
    private final Pace pace;
    private final Work work;

    Transitions(ElectionState state) {
        this.state = state;
        this.settings = state.settings;
        this.outbox = state.outbox;
        this.sightings = state.sightings;
        this.pace = state.pace;
        this.work = state.work;
    }

    // ---- what a read shows ----

    /** A linearizable read, requested after everything we know was confirmed. */
    void proven(Observation seen, long askedAtNanos) {
        if (!sightings.saw(seen, state.attemptId(), askedAtNanos, state.nanos())) {
            pace.lookSoon(state.nanos());
            return;
        }
        if (state.looksFirst) {
            state.looksFirst = false;
            state.releaseAtNanos = Math.min(state.releaseAtNanos, state.nanos());
        }
        Attempt attempt = state.attempt;
        if (seen instanceof Observation.Held held && attempt != null && state.isMine(held)) {
            mine(attempt, held, askedAtNanos);
            return;
        }
        rememberStray(seen);
        if (state.stray == null) {
            state.lateAcquires = state.lateAcquires.notSeen(askedAtNanos);
        }
        if (state.role instanceof Role.Leading) {
            end(seen instanceof Observation.Vacant ? EndReason.VANISHED : EndReason.DISPLACED, null);
        } else if (state.role instanceof Role.Settling) {
            stopWithoutTerm(EndReason.DISPLACED, null);
        } else if (state.role instanceof Role.Stopping stopping) {
            state.role = stopping.with(null);
        } else if (state.role instanceof Role.Doubting doubting && doubting.refused()) {
            state.attempt = null;
            state.role = Role.Following.INSTANCE;
        } else if (state.role instanceof Role.Doubting || state.role instanceof Role.Acquiring) {
            state.role = Role.Following.INSTANCE;
            pace.doubted(state.nanos());
        }
    }

    /** A read shows this. If a listing was answered meanwhile, it is unknown which of the two is newer. */
    void looked(Observation seen, long askedAtNanos) {
        if (askedAtNanos >= state.confirmedAtNanos) {
            proven(seen, askedAtNanos);
            return;
        }
        if (state.isMine(seen)) {
            seen(askedAtNanos);
        }
        Observation.Held own = state.ownRecord();
        if (own == null || !state.isMine(seen) || !own.basis().equals(((Observation.Held) seen).basis())) {
            pace.lookSoon(state.nanos());
        }
    }

    /** Remembers a stray: a record of this incarnation under an attempt that is not the live one. */
    void rememberStray(Observation seen) {
        state.stray = state.isOurs(seen) ? (Observation.Held) seen : null;
    }

    /** The store shows the newest attempt. */
    void mine(Attempt attempt, Observation.Held shown, long askedAtNanos) {
        Observation.Held held = sightings.kept(shown);
        state.stray = null;
        state.confirmedAtNanos = state.nanos();
        state.lateAcquires = state.lateAcquires.landed(attempt, askedAtNanos);
        if (state.role instanceof Role.Leading leading) {
            state.role = leading.with(held);
            attempt.seen(state.sightFrom(askedAtNanos));
            if (held.record().leave()) {
                end(EndReason.EVICTED, held);
            } else if (held.term() != leading.term().number()) {
                // The record was gone, and a second copy of the request that won it created it anew,
                // with another token.
                end(EndReason.VANISHED, held);
            }
        } else if (state.role instanceof Role.Settling settling) {
            state.role = settling.with(held);
            attempt.seen(state.sightFrom(askedAtNanos));
            if (held.record().leave()) {
                stopWithoutTerm(EndReason.EVICTED, held);
            } else if (held.term() != settling.term().number()) {
                stopWithoutTerm(EndReason.VANISHED, held);
            }
        } else if (state.role instanceof Role.Stopping stopping) {
            state.role = stopping.with(held);
        } else {
            won(attempt, held, askedAtNanos);
        }
    }

    // ---- won, begun, ended, stopped ----

    void won(Attempt attempt, Observation.Held held, long askedAtNanos) {
        LeaseCell cell = attempt.cell();
        if (held.term() <= sightings.highestTerm() && !settings.registers()) {
            outbox.distrust(
                    "the store gave term " + held.term() + " after term " + sightings.highestTerm()
                            + " had been seen; it has lost data, and its tokens cannot be trusted until they have grown past that");
            pace.faulted(state.nanos());
            stopWithoutTerm(EndReason.RESIGNED, held);
            return;
        }
        if (!state.wanted.campaigns() || work.isRunning() || !cell.isOpenAt(state.now)) {
            stopWithoutTerm(state.wanted.campaigns() ? EndReason.LEASE_RAN_OUT : EndReason.WITHDRAWN, held);
            return;
        }
        if (held.record().leave()) {
            stopWithoutTerm(EndReason.EVICTED, held);
            return;
        }
        attempt.sightUntilNanos = state.sightFrom(askedAtNanos);
        state.unlisted = false;
        pace.won(state.nanos());
        Term term = new Term(held.term(), held.record().attempt(), cell);
        long settle = sightings.settleNanos();
        if (settle > 0) {
            state.role = new Role.Settling(held, term, state.nanos() + settle);
        } else {
            begin(term, held);
        }
    }

    void begin(Term term, Observation.Held held) {
        state.role = new Role.Leading(held, term);
        state.beganAtNanos = state.nanos();
        if (!settings.registers()) {
            work.begin(term);
        }
        sightings.led(term.number());
        outbox.trust();
        outbox.announce(new ElectionAction.Begin(state.key, term, held));
    }

    /** The term is over from this instant; {@code held} is our record if it may still exist, else null. */
    void end(EndReason reason, Observation.@Nullable Held held) {
        Term term = ((Role.Leading) state.role).term();
        term.end();
        outbox.announce(new ElectionAction.End(state.key, term, reason));
        if (state.proclaims != null) {
            state.proclaims.reject();
        }
        LeaseWindow window = term.cell().window();
        // If the stop has passed, for whatever reason, the deadline counts, on the clock that is ahead. If it has not,
        // the work has its whole budget, and renewals cover it meanwhile.
        long budget = window.isStopPassed(state.now) ? window.endRemainingNanos(state.now) : window.drainTimeoutNanos();
        // The thread that found the stop passed may have read the clocks after this machine.
        long passed = Math.min(term.cell().passedNanos(), window.stopAtNanos(state.now));
        long from = Math.max(state.nanos(), passed);
        long overrunAt = from + Math.min(budget, window.drainTimeoutNanos());
        work.stopBy(overrunAt, held == null ? null : state.attemptSession());
        pace.ended(reason, state.nanos() - state.beganAtNanos);
        toStopping(new Role.Stopping(held, term, reason, overrunAt));
    }

    /** A record of ours exists, or existed, that must not become a term or did not get to be one. */
    void stopWithoutTerm(EndReason reason, Observation.@Nullable Held held) {
        pace.ended(reason, 0);
        toStopping(new Role.Stopping(held, null, reason, state.nanos()));
    }

    void toStopping(Role.Stopping stopping) {
        state.role = stopping;
        if (settings.once()) {
            state.wanted.end();
        }
        state.mayRelease();
        pace.pause(state.nanos());
        if (state.looksFirst) {
            pace.lookSoon(state.nanos());
        } else {
            outbox.abandonRead();
        }
    }

    /** No record of ours is left. */
    void stopped() {
        work.uncover();
        state.attempt = null;
        state.mayRelease();
        state.looksFirst = false;
        state.role = Role.Following.INSTANCE;
        pace.stopped(state.nanos());
        pace.lookSoon(state.nanos());
    }

    /** It is unknown whether the acquire landed. */
    void doubt() {
        Attempt attempt = state.attempt;
        if (state.role instanceof Role.Acquiring acquiring) {
            state.role = new Role.Doubting(acquiring.attempt(), false);
        }
        if (attempt != null) {
            if (attempt.isOver()) {
                // What the attempt did no longer counts.
                state.role = Role.Following.INSTANCE;
            }
            state.lateAcquires = state.lateAcquires.with(attempt);
        }
        pace.lookInDoubt(state.nanos());
    }

    /** A read, asked for then, shows our record. */
    void seen(long askedAtNanos) {
        if (state.attempt != null) {
            state.attempt.seen(state.sightFrom(askedAtNanos));
        }
    }
}
