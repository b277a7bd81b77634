package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.engine.Pending.Kind;
import dev.mandate.spi.Observation;
import dev.mandate.spi.WriteOutcome;

/** What an election learns from its store: what reads, listings and hints show, and what became of its writes. */
final class Answers {
    private final ElectionState state;
    private final Transitions transitions;
    private final Duties duties;
    private final ElectionSettings settings;
    private final Wanted wanted;
    private final Outbox outbox;
    private final Sightings sightings;
    private final Pace pace;

    Answers(ElectionState state, Transitions transitions, Duties duties) {
        this.state = state;
        this.transitions = transitions;
        this.duties = duties;
        this.settings = state.settings;
        this.wanted = state.wanted;
        this.outbox = state.outbox;
        this.sightings = state.sightings;
        this.pace = state.pace;
    }

    // ---- what the store shows ----

    void readAnswered(ElectionEvent.ReadAnswered e) {
        Pending asked = outbox.take(e.request());
        if (asked == null) {
            return;
        }
        outbox.well();
        boolean follows = state.role instanceof Role.Following;
        boolean isCalm = follows && isOnlooker() && isCalm(e.observation());
        if (state.ownRecord() != null && state.unlisted || settings.registers() && state.isReleasedInVain()) {
            pace.heardIdly(state.nanos());
        } else if (state.ownRecord() != null) {
            pace.park();
        } else if (isCalm) {
            pace.heardOnlooking(state.nanos());
        } else if (wanted.campaigns() || wanted.observes() || state.stray != null || !follows) {
            pace.heard(state.nanos());
        } else {
            pace.heardIdly(state.nanos());
        }
        pace.lookAgainIfHinted(state.nanos());
        pace.calm(e.observation() instanceof Observation.Held, state.nanos());
        transitions.looked(e.observation(), asked.sent().monotonicNanos());
        if (isCalm) {
            // No hint reports that a holder has been silent for its lease.
            pace.lookWhen(sightings.takeableAtNanos(), state.nanos());
        }
    }

    /** Whether it only follows who leads an election, so that no candidacy waits for what it finds. */
    boolean isOnlooker() {
        return !settings.registers()
                && wanted.observes()
                && !wanted.campaigns()
                && state.stray == null
                && state.lateAcquires.isEmpty();
    }

    /**
     * Whether hints work, so that reads may be fewer: no change was seen without its hint, and the
     * holder is known to live.
     */
    boolean isCalm(Observation seen) {
        boolean isNews = sightings.isNews(seen);
        if (isNews && !pace.isHinted() && sightings.latest() != null) {
            state.shared.hints().missed();
        }
        View known = sightings.view(state.nanos());
        return state.shared.hints().work() && !isNews && known.state() != View.State.UNKNOWN && known.verified();
    }

    /** The watch broke: the next read comes no later than without a watch. */
    void unhinted() {
        if (isOnlooker() && state.role instanceof Role.Following) {
            pace.lookBy(state.nanos()
                    + state.shared.entropy().jittered(settings.timing().pollIntervalNanos()));
        }
    }

    /** The watch may have missed something. */
    void gap() {
        if (!state.isListedWithOthers()) {
            pace.hinted(state.nanos());
        }
    }

    void swept(ElectionEvent.Swept e) {
        Observation seen = e.observation();
        // A listing requested before a write of ours was confirmed may not show that write.
        boolean after = e.askedAtNanos() >= state.confirmedAtNanos;
        boolean mine = state.isMine(seen);
        if (state.unlisted) {
            state.unlisted = false;
            pace.parkUnlessHinted(state.ownRecord() != null && !state.looksFirst);
        }
        if (state.role instanceof Role.Acquiring || !after && !mine) {
            return;
        }
        if (seen == null) {
            pace.lookSoon(state.nanos());
        } else if (state.role instanceof Role.Leading || state.role instanceof Role.Settling) {
            if (after && outbox.isFree()) {
                transitions.proven(seen, e.askedAtNanos());
            } else if (mine) {
                // Mine, but it is unknown whether this shows the basis before or after a write of ours.
                transitions.seen(e.askedAtNanos());
            } else {
                pace.lookSoon(state.nanos());
            }
        } else if (!(state.role instanceof Role.Stopping)) {
            hinted(seen);
        }
    }

    /** What no listing shows is read, each key at a different time, again and again until it is listed. */
    void notSwept() {
        if (!state.unlisted && state.ownRecord() != null) {
            state.unlisted = true;
            pace.lookWithin(state.nanos(), settings.timing().recordCheckIntervalNanos() / 2);
        }
    }

    void hinted(Observation seen) {
        boolean mine = state.isMine(seen);
        if (state.role instanceof Role.Leading || state.role instanceof Role.Settling) {
            if (!mine || ((Observation.Held) seen).record().leave()) {
                pace.hinted(state.nanos());
            }
        } else if (state.role instanceof Role.Acquiring) {
            if (!mine) {
                pace.hintedWhileAcquiring();
            }
        } else if (state.role instanceof Role.Doubting || mine || outbox.isReading()) {
            pace.hinted(state.nanos());
        }
        if (state.role == Role.Following.INSTANCE) {
            boolean unclear = sightings.heardOf(seen, state.attemptId(), state.nanos());
            // A vacancy that may be taken needs no read: the answer to the acquire shows the key's state.
            if (state.isOurs(seen) || unclear && !(seen instanceof Observation.Vacant && duties.mayTry())) {
                pace.hinted(state.nanos());
            }
        }
    }

    // ---- what became of our writes ----

    void writeAnswered(ElectionEvent.WriteAnswered e) {
        Pending asked = outbox.take(e.request());
        if (asked == null) {
            lateWrite(e);
            return;
        }
        outbox.well();
        if (asked.kind() == Kind.ERASE) {
            erased(e.outcome(), asked);
        } else if (asked.kind() == Kind.REMOVE_STRAY) {
            state.stray = null;
            if (e.outcome() instanceof WriteOutcome.Written removed) {
                state.released();
                duties.leaves(removed.now());
            } else {
                state.releaseLater();
            }
            pace.lookSoon(state.nanos());
        } else if (e.outcome() instanceof WriteOutcome.Written written) {
            written(asked, written);
        } else {
            refused(asked, (WriteOutcome.Refused) e.outcome());
        }
    }

    /** A late answer to an acquire causes a read. Only a refusal that shows another record proves anything. */
    void lateWrite(ElectionEvent.WriteAnswered e) {
        if (e.request() != state.doubtfulRequest) {
            return;
        }
        state.doubtfulRequest = -1;
        if (!(e.outcome() instanceof WriteOutcome.Refused refused)
                || refused.now().isEmpty()
                || state.isMine(refused.now().get())) {
            pace.lookInDoubt(state.nanos());
        } else if (state.role instanceof Role.Doubting) {
            state.attempt = null;
            state.role = Role.Following.INSTANCE;
            pace.doubted(state.nanos());
            pace.lookSoon(state.nanos());
        }
    }

    void written(Pending asked, WriteOutcome.Written outcome) {
        if (asked.kind() == Kind.RELEASE) {
            sightings.saw(outcome.now(), state.attemptId(), asked.sent().monotonicNanos(), state.nanos());
            transitions.stopped();
            duties.leaves(outcome.now());
            return;
        }
        Attempt attempt = state.attempt;
        if (attempt == null || !(outcome.now() instanceof Observation.Held held) || !state.isMine(held)) {
            transitions.proven(outcome.now(), asked.sent().monotonicNanos());
            return;
        }
        long granted = settings.sharesSession()
                ? 0
                : outcome.granted().map(LeaseTiming::boundedNanos).orElse(0L);
        if (granted > 0) {
            granted(attempt, asked, granted);
        } else if (asked.kind() == Kind.RENEW) {
            renewLater();
        }
        sightings.saw(held, state.attemptId(), asked.sent().monotonicNanos(), state.nanos());
        transitions.mine(attempt, held, asked.sent().monotonicNanos());
        if (asked.kind() == Kind.PROCLAIM) {
            published(held);
        }
    }

    /** The leftover of a release is gone, or has changed. In both cases others will tidy what remains. */
    void erased(WriteOutcome outcome, Pending asked) {
        duties.erased();
        if (outcome instanceof WriteOutcome.Written written) {
            sightings.saw(written.now(), state.attemptId(), asked.sent().monotonicNanos(), state.nanos());
        } else {
            sightings.outdated();
        }
    }

    /** A grant, counted from the send of its request; void once the cell is latched. */
    void granted(Attempt attempt, Pending asked, long grantedNanos) {
        LeaseWindow window = settings.timing().window(asked.sent(), grantedNanos);
        attempt.granted(window, state.renewAt(asked.sent().monotonicNanos(), grantedNanos));
        if (state.role instanceof Role.Leading leading && !leading.term().cell().extend(window)) {
            transitions.end(EndReason.LEASE_RAN_OUT, leading.held());
        } else if (state.role instanceof Role.Settling settling
                && !settling.term().cell().extend(window)) {
            transitions.stopWithoutTerm(EndReason.LEASE_RAN_OUT, settling.held());
        }
    }

    void refused(Pending asked, WriteOutcome.Refused outcome) {
        Observation seen = outcome.now().orElse(null);
        boolean mine = state.isMine(seen);
        if (asked.kind() == Kind.ACQUIRE && !mine) {
            boolean over = state.attempt != null && state.attempt.isOver();
            if (seen == null && !over && state.role instanceof Role.Acquiring acquiring) {
                // An earlier copy of it may have won: only a read can tell.
                state.role = new Role.Doubting(acquiring.attempt(), true);
            } else {
                state.attempt = null;
                state.role = Role.Following.INSTANCE;
            }
            pace.refused(
                    state.nanos(),
                    seen instanceof Observation.Held,
                    outcome.retryAfter().map(LeaseTiming::boundedNanos).orElse(0L));
        } else if (asked.kind() == Kind.RELEASE) {
            state.releaseLater();
        } else if (asked.kind() != Kind.PROCLAIM) {
            renewLater();
        }
        if (seen != null) {
            transitions.proven(seen, asked.sent().monotonicNanos());
        } else {
            sightings.outdated();
            state.looksFirst = asked.kind() != Kind.ACQUIRE;
            pace.lookSoon(state.nanos());
        }
        if (asked.kind() == Kind.PROCLAIM) {
            if (mine && seen instanceof Observation.Held held) {
                published(held);
            }
            proclaimAgain();
        }
    }

    void faulted(ElectionEvent.Faulted e) {
        Pending asked = outbox.take(e.request());
        if (asked != null) {
            unanswered(asked);
            outbox.fault(e.message());
            pace.faulted(state.nanos());
            duties.erased();
            if (asked.kind() == Kind.RELEASE) {
                state.releaseAtNanos = state.nanos()
                        + state.shared.entropy().jittered(settings.timing().faultRetryNanos());
            }
        }
    }

    /** What {@code asked} did is unknown: neither a win nor a loss. */
    void unanswered(Pending asked) {
        switch (asked.kind()) {
            case READ -> {
                state.looksFirst = false;
                pace.silent(state.nanos(), state.usualLookNanos());
            }
            case ACQUIRE -> {
                state.doubtfulRequest = asked.request();
                transitions.doubt();
            }
            case RENEW -> renewLater();
            case PROCLAIM -> proclaimAgain();
            case RELEASE -> state.releaseLater();
            case ERASE -> duties.eraseUnanswered();
            case REMOVE_STRAY -> {
                state.stray = null;
                state.releaseLater();
                pace.lookInDoubt(state.nanos());
            }
        }
    }

    private void renewLater() {
        if (state.attempt != null) {
            state.attempt.renewLater(settings.timing(), state.nanos());
        }
    }

    void published(Observation.Held held) {
        if (state.proclaims != null) {
            state.proclaims.published(held.record().value());
        }
    }

    void proclaimAgain() {
        if (state.proclaims != null) {
            state.proclaims.failed(state.shared.retries(), settings.timing().pollIntervalNanos(), state.nanos());
        }
    }
}
