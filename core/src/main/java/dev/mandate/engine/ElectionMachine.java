package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.engine.Pending.Kind;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One candidate in one election: a total, deterministic function with memory. No event may throw in any role.
 *
 * <p>Each call does three things in this order: it ends what is <em>over</em> at {@code now}, handles the event, and
 * starts what is <em>due</em>. What is due depends on the role and the clock alone, never on the event, so a lost
 * event costs only time.
 *
 * <table>
 * <caption>Transitions. "mine" = a record with the live attempt; "stop" = its lease cell's stop has passed</caption>
 * <tr><th>role</th><th>what happens</th><th>next</th></tr>
 * <tr><td>Idle</td><td>Campaign, Observe</td><td>Following</td></tr>
 * <tr><td></td><td>too many others became idle since, and its last term ended longer ago than any cool-down lasts</td>
 * <td>forgotten</td></tr>
 * <tr><td>Following</td><td>campaigns, no work runs, no pause, session open, the key is vacant or its holder was silent
 * for its own L, and its turn has come if there is an order</td>
 * <td>Acquiring, with a new attempt: the older one is superseded</td></tr>
 * <tr><td></td><td>a read shows mine</td><td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>a read shows another attempt of this incarnation</td>
 * <td>Following; it is removed under its basis</td></tr>
 * <tr><td></td><td>placed, while it sees a vacancy that it may take</td>
 * <td>Following, with that {@linkplain Turn turn}</td></tr>
 * <tr><td></td><td>a hint of a surely later term: passed to observers; other news: read</td><td>Following</td></tr>
 * <tr><td></td><td>nothing left to campaign for, watch or wait for</td><td>Idle</td></tr>
 * <tr><td>Acquiring</td><td>written, or refused and the record is mine</td>
 * <td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>written, and the answer shows another attempt</td><td>Following; the attempt lives</td></tr>
 * <tr><td></td><td>refused, and the answer shows anything but mine</td><td>Following; the attempt is dead</td></tr>
 * <tr><td></td><td>refused without showing the record, or no answer</td><td>Doubting; the attempt lives</td></tr>
 * <tr><td>Doubting</td><td>a read shows mine</td><td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>a read shows anything else</td>
 * <td>Following; the attempt lives until superseded, or is dead if it was refused</td></tr>
 * <tr><td></td><td>a late refusal shows anything else</td><td>Following; the attempt is dead</td></tr>
 * <tr><td></td><td>session over</td><td>Following; the attempt lives until superseded</td></tr>
 * <tr><td>Settling</td><td>the time is over</td><td>Leading</td></tr>
 * <tr><td></td><td>stop; not mine; mine with another term; session over; unseen too long</td>
 * <td>Stopping; nothing was announced</td></tr>
 * <tr><td></td><td>Withdraw, leave flag</td><td>Stopping</td></tr>
 * <tr><td>Leading</td><td>mine, seen in any way, at a new basis</td><td>Leading, at that basis; same deadline</td></tr>
 * <tr><td></td><td>stop; not mine; mine with another term; session over; unseen too long; leave flag; Resign;
 * Withdraw; WorkStopped</td>
 * <td>Stopping</td></tr>
 * <tr><td>Stopping</td><td>work outlives the deadline, or its budget if that ends first: overrun, reported once</td>
 * <td>Stopping</td></tr>
 * <tr><td></td><td>work stopped, or covered as long as the policy says: release</td>
 * <td>Stopping until the release is answered</td></tr>
 * <tr><td></td><td>released, or not mine any more, or surely over</td>
 * <td>Following; after own will or failed work: cools down</td></tr>
 * <tr><td>any</td><td>a stale answer or hint (a late acquire's answer makes it read), a command for another term</td>
 * <td>unchanged</td></tr>
 * </table>
 *
 * <p>A {@linkplain ElectionSettings#registers registration} has the same roles except Settling. It has no work, so it
 * is released in the step in which it stops, and its terms never end for being unseen or smaller than another. A place
 * in a queue is a registration whose candidacy ends with its {@linkplain ElectionSettings#once term}.
 *
 * <p>Not safe for use from several threads.
 */
public final class ElectionMachine extends ElectionCommands {
    /** Its slot in the {@link WakeHeap}, which alone uses it. */
    int wakeSlot = -1;

    /** Its place on the {@link Roll} of each concern; only the rolls use it. */
    final int[] rollPlaces = Roll.nowhere();

    private View told = View.UNKNOWN;

    /** An idle machine. */
    ElectionMachine(RecordKey key, ElectionSettings settings, Shared shared) {
        super(key, settings, shared);
    }

    /** Handles {@code event} and returns what is to be done. */
    List<Action> on(ElectionEvent event, Now at) {
        now = at.notBefore(now);
        outbox.open();
        endWhatIsOver();
        reportOverrun();
        lookAt(event);
        // Again: a term that has just ended may leave its work no time at all.
        reportOverrun();
        startWhatIsDue();
        tellStance();
        tell();
        return outbox.close();
    }

    void endWhatIsOver() {
        Pending overdue = outbox.takeOverdue(nanos());
        if (overdue != null) {
            unanswered(overdue);
        }
        if (role instanceof Role.Acquiring && outbox.pending() == null) {
            // An error interrupted the handling of the answer: treat it as missing.
            doubt();
        }
        if (role instanceof Role.Leading leading) {
            LeaseCell cell = leading.term().cell();
            if (!cell.isOpenAt(now)) {
                boolean over = liveSession != null && liveSession.isOver();
                end(cell.reason(), over ? null : leading.held());
            } else if (nanos() >= sightUntilNanos) {
                end(EndReason.UNSEEN, leading.held());
            }
        } else if (role instanceof Role.Settling settling) {
            if (!settling.term().cell().isOpenAt(now)) {
                stopWithoutTerm(EndReason.LEASE_RAN_OUT, settling.held());
            } else if (nanos() >= sightUntilNanos) {
                stopWithoutTerm(EndReason.UNSEEN, settling.held());
            }
        }
    }

    void reportOverrun() {
        Term overrun = work.judge(now);
        if (overrun != null) {
            outbox.announce(new ElectionAction.Overrun(key, overrun));
        }
    }

    // ---- the event ----

    void lookAt(ElectionEvent event) {
        if (event instanceof ElectionEvent.ReadAnswered e) {
            readAnswered(e);
        } else if (event instanceof ElectionEvent.WriteAnswered e) {
            writeAnswered(e);
        } else if (event instanceof ElectionEvent.Unanswered e) {
            Pending asked = outbox.take(e.request());
            if (asked != null) {
                unanswered(asked);
            }
        } else if (event instanceof ElectionEvent.Faulted e) {
            faulted(e);
        } else if (event instanceof ElectionEvent.Swept e) {
            swept(e);
        } else if (event == ElectionEvent.NotSwept.INSTANCE) {
            notSwept();
        } else if (event instanceof ElectionEvent.Hinted e) {
            hinted(e.observation());
        } else if (event == ElectionEvent.Gap.INSTANCE) {
            gap();
        } else if (event instanceof ElectionEvent.Placed e) {
            turn.placed(e.place(), nanos());
        } else if (event instanceof ElectionEvent.SessionUp e) {
            session = e.session();
        } else if (event instanceof ElectionEvent.SessionLatched e) {
            session = session == e.session() ? null : session;
        } else if (event instanceof ElectionEvent.SessionOver e) {
            sessionOver(e.session());
        } else if (event instanceof ElectionEvent.WorkStopped e) {
            workStopped(e.term());
        } else if (event instanceof ElectionEvent.TermLatched e) {
            if (role instanceof Role.Leading leading && leading.term().number() == e.term()) {
                leading.term().cell().latch();
                end(EndReason.LEASE_RAN_OUT, leading.held());
            }
        } else if (event != ElectionEvent.Tick.INSTANCE) {
            command(event);
        }
    }

    void gap() {
        if (!isListedWithOthers()) {
            pace.hinted(nanos());
        }
    }

    /** Whether the common listing, which a gap hurries, reads it: then it need not read by itself. */
    private boolean isListedWithOthers() {
        return settings.sharesSession() && (role instanceof Role.Leading || role instanceof Role.Settling);
    }

    /** Whether it reads by itself when the watch over elections may have missed something. */
    boolean looksAfterGap() {
        return !settings.registers() && !(role instanceof Role.Idle) && !isListedWithOthers();
    }

    // ---- what the store shows ----

    void readAnswered(ElectionEvent.ReadAnswered e) {
        Pending asked = outbox.take(e.request());
        if (asked == null) {
            return;
        }
        outbox.well();
        boolean follows = role instanceof Role.Following;
        boolean isCalm = follows && isOnlooker() && isCalm(e.observation());
        if (ownRecord() != null && unlisted || settings.registers() && isReleasedInVain()) {
            pace.heardIdly(nanos());
        } else if (ownRecord() != null) {
            pace.park();
        } else if (isCalm) {
            pace.heardOnlooking(nanos());
        } else if (standing || observing || stray != null || !follows) {
            pace.heard(nanos());
        } else {
            pace.heardIdly(nanos());
        }
        pace.lookAgainIfHinted(nanos());
        pace.calm(e.observation() instanceof Observation.Held, nanos());
        looked(e.observation(), asked.sent().monotonicNanos());
        if (isCalm) {
            // No hint reports that a holder has been silent for its lease.
            pace.lookWhen(sightings.takeableAtNanos(), nanos());
        }
    }

    /** Whether it only follows who leads an election, so that no candidacy waits for what it finds. */
    boolean isOnlooker() {
        return !settings.registers() && observing && !standing && stray == null && haunted.isEmpty();
    }

    /**
     * Whether hints work, so that reads may be fewer: no change was seen without its hint, and the
     * holder is known to live.
     */
    boolean isCalm(Observation seen) {
        boolean isNews = sightings.isNews(seen);
        if (isNews && !pace.isHinted() && sightings.latest() != null) {
            hints.missed();
        }
        View known = sightings.view(nanos());
        return hints.work() && !isNews && known.state() != View.State.UNKNOWN && known.verified();
    }

    /** The watch broke: the next read comes no later than without a watch. */
    void unhinted(Now at) {
        now = at.notBefore(now);
        if (isOnlooker() && role instanceof Role.Following) {
            pace.lookBy(nanos() + entropy.jittered(settings.timing().pollIntervalNanos()));
        }
    }

    void swept(ElectionEvent.Swept e) {
        Observation seen = e.observation();
        // A listing requested before a write of ours was confirmed may not show that write.
        boolean after = e.askedAtNanos() >= confirmedAtNanos;
        boolean mine = isMine(seen);
        if (unlisted) {
            unlisted = false;
            pace.parkUnlessHinted(ownRecord() != null && !looksFirst);
        }
        if (role instanceof Role.Acquiring || !after && !mine) {
            return;
        }
        if (seen == null) {
            pace.lookSoon(nanos());
        } else if (role instanceof Role.Leading || role instanceof Role.Settling) {
            if (after && outbox.isFree()) {
                proven(seen, e.askedAtNanos());
            } else if (mine) {
                // Mine, but it is unknown whether this shows the basis before or after a write of ours.
                sightUntilNanos = Math.max(sightUntilNanos, sightFrom(e.askedAtNanos()));
            } else {
                pace.lookSoon(nanos());
            }
        } else if (!(role instanceof Role.Stopping)) {
            hinted(seen);
        }
    }

    /** What no listing shows is read, each key at a different time, again and again until it is listed. */
    void notSwept() {
        if (!unlisted && ownRecord() != null) {
            unlisted = true;
            pace.lookWithin(nanos(), settings.timing().recordCheckIntervalNanos() / 2);
        }
    }

    void hinted(Observation seen) {
        boolean mine = isMine(seen);
        if (role instanceof Role.Leading || role instanceof Role.Settling) {
            if (!mine || ((Observation.Held) seen).record().leave()) {
                pace.hinted(nanos());
            }
        } else if (role instanceof Role.Acquiring) {
            if (!mine) {
                pace.hintedWhileAcquiring();
            }
        } else if (role instanceof Role.Doubting || mine || outbox.isReading()) {
            pace.hinted(nanos());
        }
        if (role == Role.Following.INSTANCE) {
            boolean unclear = sightings.heardOf(seen, live, nanos());
            // A vacancy that may be taken needs no read: the answer to the acquire shows the key's state.
            if (isOurs(seen) || unclear && !(seen instanceof Observation.Vacant && mayTry())) {
                pace.hinted(nanos());
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
            stray = null;
            if (e.outcome() instanceof WriteOutcome.Written removed) {
                lettingGoFailed = 0;
                leaves(removed.now());
            } else {
                letGoLater();
            }
            pace.lookSoon(nanos());
        } else if (e.outcome() instanceof WriteOutcome.Written written) {
            written(asked, written);
        } else {
            refused(asked, (WriteOutcome.Refused) e.outcome());
        }
    }

    /** A late answer to an acquire causes a read. Only a refusal that shows another record proves anything. */
    void lateWrite(ElectionEvent.WriteAnswered e) {
        if (e.request() != doubtfulRequest) {
            return;
        }
        doubtfulRequest = -1;
        if (!(e.outcome() instanceof WriteOutcome.Refused refused)
                || refused.now().isEmpty()
                || isMine(refused.now().get())) {
            pace.lookInDoubt(nanos());
        } else if (role instanceof Role.Doubting) {
            live = null;
            role = Role.Following.INSTANCE;
            pace.doubted(nanos());
            pace.lookSoon(nanos());
        }
    }

    void written(Pending asked, WriteOutcome.Written outcome) {
        if (asked.kind() == Kind.RELEASE) {
            sightings.saw(outcome.now(), live, asked.sent().monotonicNanos(), nanos());
            stopped();
            leaves(outcome.now());
            return;
        }
        if (!(outcome.now() instanceof Observation.Held held) || !held.isAttempt(live)) {
            proven(outcome.now(), asked.sent().monotonicNanos());
            return;
        }
        long granted = settings.sharesSession()
                ? 0
                : outcome.granted().map(LeaseTiming::boundedNanos).orElse(0L);
        if (granted > 0) {
            granted(asked, granted);
        } else if (asked.kind() == Kind.RENEW) {
            renewLater();
        }
        sightings.saw(held, live, asked.sent().monotonicNanos(), nanos());
        mine(held, asked.sent().monotonicNanos());
        if (asked.kind() == Kind.PROCLAIM) {
            published(held);
        }
    }

    /** The leftover of a release is gone, or has changed. In both cases others will tidy what remains. */
    void erased(WriteOutcome outcome, Pending asked) {
        erased();
        if (outcome instanceof WriteOutcome.Written written) {
            sightings.saw(written.now(), live, asked.sent().monotonicNanos(), nanos());
        } else {
            sightings.outdated();
        }
    }

    /** A grant, counted from the send of its request; void once the cell is latched. */
    void granted(Pending asked, long grantedNanos) {
        LeaseWindow window = settings.timing().window(asked.sent(), grantedNanos);
        renewAtNanos = renewAt(asked.sent().monotonicNanos(), grantedNanos);
        renewalFailed = 0;
        liveWindow = window;
        if (role instanceof Role.Leading leading && !leading.term().cell().extend(window)) {
            end(EndReason.LEASE_RAN_OUT, leading.held());
        } else if (role instanceof Role.Settling settling
                && !settling.term().cell().extend(window)) {
            stopWithoutTerm(EndReason.LEASE_RAN_OUT, settling.held());
        }
    }

    void refused(Pending asked, WriteOutcome.Refused outcome) {
        Observation seen = outcome.now().orElse(null);
        boolean mine = isMine(seen);
        if (asked.kind() == Kind.ACQUIRE && !mine) {
            boolean over = liveSession != null && liveSession.isOver();
            if (seen == null && !over && role instanceof Role.Acquiring acquiring) {
                // An earlier copy of it may have won: only a read can tell.
                role = new Role.Doubting(acquiring.attempt(), true);
            } else {
                live = null;
                role = Role.Following.INSTANCE;
            }
            pace.refused(
                    nanos(),
                    seen instanceof Observation.Held,
                    outcome.retryAfter().map(LeaseTiming::boundedNanos).orElse(0L));
        } else if (asked.kind() == Kind.RELEASE) {
            letGoLater();
        } else if (asked.kind() != Kind.PROCLAIM) {
            renewLater();
        }
        if (seen != null) {
            proven(seen, asked.sent().monotonicNanos());
        } else {
            sightings.outdated();
            looksFirst = asked.kind() != Kind.ACQUIRE;
            pace.lookSoon(nanos());
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
            pace.faulted(nanos());
            erased();
            if (asked.kind() == Kind.RELEASE) {
                releaseAtNanos = nanos() + entropy.jittered(settings.timing().faultRetryNanos());
            }
        }
    }

    /** What {@code asked} did is unknown: neither a win nor a loss. */
    void unanswered(Pending asked) {
        switch (asked.kind()) {
            case READ -> {
                looksFirst = false;
                pace.silent(nanos(), usualLookNanos());
            }
            case ACQUIRE -> {
                doubtfulRequest = asked.request();
                doubt();
            }
            case RENEW -> renewLater();
            case PROCLAIM -> proclaimAgain();
            case RELEASE -> letGoLater();
            case ERASE -> eraseUnanswered();
            case REMOVE_STRAY -> {
                stray = null;
                letGoLater();
                pace.lookInDoubt(nanos());
            }
        }
    }

    // ---- what others are told ----

    void tell() {
        if (!standing && !observing) {
            return;
        }
        Observation.Held own = ownRecord();
        View view = own != null ? View.led(own, true) : sightings.view(nanos());
        if (!view.tellsTheSameAs(told)) {
            told = view;
            outbox.announce(new ElectionAction.Observed(key, view));
        }
    }

    View told() {
        return told;
    }

    /** See {@link CandidateMachine#askedNanos(RecordKey, long, Now)}. */
    long askedNanos(long request, Now at) {
        Pending asked = outbox.pending();
        if (asked == null || asked.request() != request || at.monotonicNanos() >= asked.untilNanos()) {
            return Long.MIN_VALUE;
        }
        return asked.sent().monotonicNanos();
    }

    /** The session that is open now, if any. */
    void offer(@Nullable SessionLease open) {
        session = open;
    }
}
