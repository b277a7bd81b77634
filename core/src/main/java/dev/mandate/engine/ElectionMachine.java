package dev.mandate.engine;

import dev.mandate.LossReason;
import dev.mandate.Standing;
import dev.mandate.engine.Pending.Kind;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One candidate in one election: a total, deterministic function with memory. No event may throw in any role.
 *
 * <p>Each call does three things in this order: what is <em>over</em> at {@code now} ends; the event is looked at; whatever is <em>due</em> is
 * started. What is due depends on the role and the clock alone, never on the event, so a lost event costs time and nothing else.
 *
 * <table>
 * <caption>Transitions. "mine" = a record that carries the live attempt; "stop" = the stop of the lease cell has passed</caption>
 * <tr><th>role</th><th>what happens</th><th>next</th></tr>
 * <tr><td>Idle</td><td>Campaign, Observe, or a session with an unknown acquire</td><td>Following</td></tr>
 * <tr><td>Following</td><td>stands, no work runs, no pause, session open, and the key is vacant or its holder was silent for its own L</td>
 * <td>Acquiring, with a new attempt: the older one is superseded</td></tr>
 * <tr><td></td><td>a read shows mine</td><td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>a read shows another attempt of this incarnation</td><td>Following; it is removed under its basis</td></tr>
 * <tr><td></td><td>nothing left to stand, watch or wait for</td><td>Idle</td></tr>
 * <tr><td>Acquiring</td><td>written, or refused and mine stands</td><td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>refused</td><td>Following; the attempt is dead</td></tr>
 * <tr><td></td><td>no answer</td><td>Doubting; the attempt lives</td></tr>
 * <tr><td>Doubting</td><td>a read shows mine</td><td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>a read shows anything else, or a late refusal</td><td>Following; the attempt lives on until superseded</td></tr>
 * <tr><td>Settling</td><td>the time is over</td><td>Leading</td></tr>
 * <tr><td></td><td>stop, or the session is over, or not mine</td><td>Stopping; nothing was announced</td></tr>
 * <tr><td></td><td>Withdraw, leave flag</td><td>Stopping</td></tr>
 * <tr><td>Leading</td><td>mine, seen in any way, at a new basis</td><td>Leading, with that basis; the deadline stays</td></tr>
 * <tr><td></td><td>stop; not mine; session over; unseen too long; leave flag; Resign; Withdraw; WorkStopped</td><td>Stopping</td></tr>
 * <tr><td>Stopping</td><td>work stopped, or covered as long as the policy says: release</td><td>Stopping until the release is answered</td></tr>
 * <tr><td></td><td>released, or the record is not mine any more, or it is certainly over</td><td>Following, with a cool-down after own
 * will or failed work</td></tr>
 * <tr><td>any</td><td>an answer to anything but the pending request (late acquires make it look), a stale hint, a command for another
 * term</td><td>unchanged</td></tr>
 * </table>
 *
 * <p>Not safe for use from several threads.
 */
public final class ElectionMachine {
    private final RecordKey key;
    private final ElectionSettings settings;
    private final Entropy entropy;
    private final Outbox outbox;
    private final Sightings sightings;
    private final Pace pace;
    private final Work work;

    /** The place in the client's {@link WakeHeap}; its own business. */
    int heapIndex = -1;

    private Role role = Role.Idle.INSTANCE;
    private boolean standing;
    private boolean withdrawing;
    private boolean observing;
    private String value = "";

    private @Nullable Id live;
    private @Nullable SessionLease liveSession;
    private @Nullable LeaseWindow liveWindow;
    private long doubtfulRequest = -1;
    private Observation.@Nullable Held stray;
    private List<SessionLease> haunted = List.of();

    private @Nullable SessionLease session;
    private @Nullable Proclaims proclaims;
    private long renewAtNanos;
    private long sightUntilNanos;
    private long confirmedAtNanos;
    private long beganAtNanos;
    private long releaseAtNanos;

    private Now now = new Now(Long.MIN_VALUE, 0);
    private View told = View.UNKNOWN;

    /**
     * A machine that stands idle.
     *
     * @param requests numbers requests, uniquely within the client
     */
    ElectionMachine(RecordKey key, ElectionSettings settings, Entropy entropy, LongSupplier requests) {
        this.key = key;
        this.settings = settings;
        this.entropy = entropy;
        this.outbox = new Outbox(key, settings.timing().answerNanos(), requests);
        this.sightings = new Sightings(settings);
        this.pace = new Pace(settings.timing(), entropy);
        this.work = new Work(settings.overrun(), settings.timing().leaseNanos());
    }

    /** What is to be done now that {@code event} happened. */
    List<Action> on(ElectionEvent event, Now at) {
        now = at.monotonicNanos() < now.monotonicNanos() ? new Now(now.monotonicNanos(), at.wallMillis()) : at;
        outbox.open();
        endWhatIsOver();
        lookAt(event);
        startWhatIsDue();
        tell();
        return outbox.close();
    }

    // ---- what is over
    // ------------------------------------------------------------------------------------------------

    private void endWhatIsOver() {
        Pending overdue = outbox.takeOverdue(nanos());
        if (overdue != null) {
            unanswered(overdue);
        }
        if (role instanceof Role.Leading leading) {
            if (!leading.term().cell().isOpenAt(now)) {
                boolean over = liveSession != null && liveSession.isOver();
                end(over ? LossReason.SESSION_ENDED : LossReason.LEASE_RAN_OUT, over ? null : leading.held());
            } else if (nanos() >= sightUntilNanos) {
                end(LossReason.UNSEEN, leading.held());
            }
        } else if (role instanceof Role.Settling settling
                && !settling.term().cell().isOpenAt(now)) {
            stopWithoutTerm(LossReason.LEASE_RAN_OUT, settling.held());
        }
        Term overrun = work.judge(nanos());
        if (overrun != null) {
            outbox.announce(new ElectionAction.Overrun(key, overrun, work.mustHalt()));
        }
    }

    // ---- the event
    // ---------------------------------------------------------------------------------------------------

    private void lookAt(ElectionEvent event) {
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
        } else if (event instanceof ElectionEvent.Hinted e) {
            hinted(e.observation());
        } else if (event == ElectionEvent.Gap.INSTANCE) {
            pace.lookSoon(nanos());
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
                end(LossReason.LEASE_RAN_OUT, leading.held());
            }
        } else if (event != ElectionEvent.Tick.INSTANCE) {
            command(event);
        }
    }

    private void command(ElectionEvent event) {
        if (event instanceof ElectionEvent.Campaign e) {
            if (!standing) {
                standing = true;
                withdrawing = false;
                value = e.value();
                wakeUp();
            }
        } else if (event instanceof ElectionEvent.Withdraw e) {
            withdraw(e.reason());
        } else if (event instanceof ElectionEvent.Resign e) {
            if (role instanceof Role.Leading leading && leading.term().number() == e.term()) {
                end(e.reason(), leading.held());
            }
        } else if (event instanceof ElectionEvent.Observe e) {
            observing = e.on();
            if (observing) {
                wakeUp();
            }
        } else if (event instanceof ElectionEvent.Proclaim e) {
            proclaim(e);
        } else {
            throw new AssertionError("unknown event " + event);
        }
    }

    private void wakeUp() {
        if (role == Role.Idle.INSTANCE) {
            role = Role.Following.INSTANCE;
            pace.start(nanos());
        }
    }

    private void withdraw(LossReason reason) {
        standing = false;
        withdrawing = true;
        if (role instanceof Role.Leading leading) {
            end(reason, leading.held());
        } else if (role instanceof Role.Settling settling) {
            stopWithoutTerm(reason, settling.held());
        }
    }

    private void proclaim(ElectionEvent.Proclaim e) {
        boolean leads = role instanceof Role.Leading leading && leading.term().number() == e.term();
        if (leads && proclaims == null) {
            proclaims = new Proclaims();
        }
        if (!leads || proclaims == null || !proclaims.add(e.command(), e.value(), nanos())) {
            outbox.announce(new ElectionAction.Proclaimed(key, e.command(), false));
        }
    }

    private void workStopped(long term) {
        if (!work.stopped(term)) {
            return;
        }
        if (role instanceof Role.Leading leading) {
            end(LossReason.RESIGNED, leading.held());
        }
    }

    private void sessionOver(SessionLease over) {
        session = session == over ? null : session;
        if (haunted.contains(over)) {
            haunted = haunted.stream().filter(s -> s != over).toList();
        }
        if (liveSession != over) {
            return;
        }
        if (role instanceof Role.Leading) {
            end(LossReason.SESSION_ENDED, null);
        } else if (role instanceof Role.Settling) {
            stopWithoutTerm(LossReason.SESSION_ENDED, null);
        } else if (role instanceof Role.Stopping stopping) {
            role = stopping.with(null);
        } else if (role instanceof Role.Doubting) {
            // Whatever the attempt did counts for nothing now.
            role = Role.Following.INSTANCE;
        }
    }

    // ---- what the store shows
    // ----------------------------------------------------------------------------------------

    private void readAnswered(ElectionEvent.ReadAnswered e) {
        Pending asked = outbox.take(e.request());
        if (asked == null) {
            return;
        }
        outbox.well();
        if (isHoldingRecord()) {
            pace.park();
        } else if (standing || observing || stray != null || role instanceof Role.Doubting) {
            pace.heard(nanos());
        } else {
            pace.heardIdly(nanos());
        }
        pace.calm();
        proven(e.observation(), asked.sent().monotonicNanos());
    }

    /** A linearizable look, asked for after whatever we know was confirmed. */
    private void proven(Observation seen, long askedAtNanos) {
        sightings.saw(seen, live, nanos());
        if (seen instanceof Observation.Held held && held.isAttempt(live)) {
            mine(held, askedAtNanos);
            return;
        }
        rememberStray(seen);
        if (role instanceof Role.Leading) {
            end(seen instanceof Observation.Vacant ? LossReason.VANISHED : LossReason.DISPLACED, null);
        } else if (role instanceof Role.Settling) {
            stopWithoutTerm(LossReason.DISPLACED, null);
        } else if (role instanceof Role.Stopping stopping) {
            role = stopping.with(null);
        } else if (role instanceof Role.Doubting) {
            role = Role.Following.INSTANCE;
            pace.doubted(nanos());
        }
    }

    /** A record of this incarnation under another attempt than the live one: an older write of ours that landed late. */
    private void rememberStray(Observation seen) {
        boolean ours = seen instanceof Observation.Held held
                && !held.isForeign()
                && held.record().incarnation().equals(settings.incarnation());
        stray = ours ? (Observation.Held) seen : null;
    }

    /** The live attempt stands in the store. */
    private void mine(Observation.Held held, long askedAtNanos) {
        stray = null;
        if (role instanceof Role.Leading leading) {
            role = leading.with(held);
            sightUntilNanos = Math.max(sightUntilNanos, sightFrom(askedAtNanos));
            if (held.record().leave()) {
                end(LossReason.EVICTED, held);
            }
        } else if (role instanceof Role.Settling settling) {
            role = settling.with(held);
            sightUntilNanos = Math.max(sightUntilNanos, sightFrom(askedAtNanos));
            if (held.record().leave()) {
                stopWithoutTerm(LossReason.EVICTED, held);
            }
        } else if (role instanceof Role.Stopping stopping) {
            role = stopping.with(held);
        } else {
            won(held, askedAtNanos);
        }
    }

    private void won(Observation.Held held, long askedAtNanos) {
        confirmedAtNanos = nanos();
        LeaseCell cell = liveCell();
        if (held.term() <= sightings.highestTerm()) {
            outbox.fault(
                    "the store gave term " + held.term() + " after term " + sightings.highestTerm()
                            + " had been seen; it has lost data, and its tokens cannot be trusted until they have grown past that");
            pace.faulted(nanos());
            stopWithoutTerm(LossReason.RESIGNED, held);
            return;
        }
        if (!standing || work.isRunning() || cell == null || !cell.isOpenAt(now)) {
            stopWithoutTerm(standing ? LossReason.LEASE_RAN_OUT : LossReason.WITHDRAWN, held);
            return;
        }
        if (held.record().leave()) {
            stopWithoutTerm(LossReason.EVICTED, held);
            return;
        }
        sightUntilNanos = sightFrom(askedAtNanos);
        pace.park();
        Term term = new Term(held.term(), held.record().attempt(), cell);
        long settle = sightings.settleNanos();
        if (settle > 0) {
            role = new Role.Settling(held, term, nanos() + settle);
        } else {
            begin(term, held);
        }
    }

    private @Nullable LeaseCell liveCell() {
        if (settings.sharesSession()) {
            return liveSession == null ? null : liveSession.cell();
        }
        return liveWindow == null ? null : new LeaseCell(liveWindow);
    }

    private long sightFrom(long askedAtNanos) {
        return settings.sharesSession() ? askedAtNanos + settings.timing().sightNanos() : Long.MAX_VALUE;
    }

    private void begin(Term term, Observation.Held held) {
        role = new Role.Leading(held, term);
        beganAtNanos = nanos();
        work.begin(term);
        sightings.led(term.number());
        pace.won();
        outbox.announce(new ElectionAction.Begin(key, term, held));
    }

    /** The term is over from this instant; {@code held} is our record if it may still stand, else null. */
    private void end(LossReason reason, Observation.@Nullable Held held) {
        Term term = ((Role.Leading) role).term();
        term.end();
        outbox.announce(new ElectionAction.End(key, term, reason));
        rejectProclaims();
        // Where the lease ran out, the deadline is what judges; where it did not, the work has its whole budget.
        long budget = nanos() + settings.timing().drainNanos();
        long overrunAt = budget;
        if (reason == LossReason.LEASE_RAN_OUT) {
            LeaseWindow window = term.cell().window();
            overrunAt = window.isEndPassed(now) ? nanos() : Math.min(budget, window.endAtNanos());
        }
        work.stopBy(overrunAt, held == null ? null : liveSession);
        pace.ended(reason, nanos() - beganAtNanos, nanos());
        toStopping(new Role.Stopping(held, term, reason, overrunAt));
    }

    /** A record of ours stands, or stood, that must not become a term or did not get to be one. */
    private void stopWithoutTerm(LossReason reason, Observation.@Nullable Held held) {
        pace.ended(reason, 0, nanos());
        toStopping(new Role.Stopping(held, null, reason, nanos()));
    }

    private void toStopping(Role.Stopping stopping) {
        role = stopping;
        releaseAtNanos = nanos();
        outbox.abandonRead();
    }

    /** Nothing of ours stands any more. */
    private void stopped() {
        work.uncover();
        live = null;
        role = Role.Following.INSTANCE;
        pace.lookSoon(nanos());
    }

    private void rejectProclaims() {
        if (proclaims != null) {
            proclaims.drain().forEach(c -> outbox.announce(new ElectionAction.Proclaimed(key, c, false)));
        }
    }

    private void swept(ElectionEvent.Swept e) {
        // A listing asked for before our win was confirmed may well not show it: that proves nothing.
        boolean after = e.askedAtNanos() >= confirmedAtNanos;
        Observation seen = e.observation();
        if (!after || role instanceof Role.Acquiring) {
            return;
        }
        if (seen == null) {
            pace.lookSoon(nanos());
        } else if (role instanceof Role.Leading || role instanceof Role.Settling) {
            if (outbox.isFree()) {
                proven(seen, e.askedAtNanos());
            } else if (seen instanceof Observation.Held held && held.isAttempt(live)) {
                // A write of ours is under way: whether this shows the basis before or after it is not known.
                sightUntilNanos = Math.max(sightUntilNanos, sightFrom(e.askedAtNanos()));
            } else {
                pace.lookSoon(nanos());
            }
        } else if (!(role instanceof Role.Stopping)) {
            hinted(seen);
        }
    }

    private void hinted(Observation seen) {
        boolean mine = seen instanceof Observation.Held held && held.isAttempt(live);
        if (role instanceof Role.Leading || role instanceof Role.Settling) {
            if (!mine || ((Observation.Held) seen).record().leave()) {
                pace.lookSoon(nanos());
            }
        } else if (role instanceof Role.Doubting || mine) {
            pace.lookSoon(nanos());
        } else if (role == Role.Following.INSTANCE && sightings.heardOf(seen, live, nanos())) {
            boolean ours = seen instanceof Observation.Held held
                    && !held.isForeign()
                    && held.record().incarnation().equals(settings.incarnation());
            if (ours) {
                pace.lookSoon(nanos());
            }
        }
    }

    // ---- what became of our writes
    // -----------------------------------------------------------------------------------

    private void writeAnswered(ElectionEvent.WriteAnswered e) {
        Pending asked = outbox.take(e.request());
        if (asked == null) {
            lateWrite(e);
            return;
        }
        outbox.well();
        if (asked.kind() == Kind.REMOVE_STRAY) {
            stray = null;
            pace.lookSoon(nanos());
        } else if (e.outcome() instanceof WriteOutcome.Written written) {
            written(asked, written);
        } else {
            refused(asked, (WriteOutcome.Refused) e.outcome());
        }
    }

    /** The answer to an acquire that was given up: it makes us look, and proves nothing but a refusal. */
    private void lateWrite(ElectionEvent.WriteAnswered e) {
        if (e.request() != doubtfulRequest) {
            return;
        }
        doubtfulRequest = -1;
        if (e.outcome() instanceof WriteOutcome.Written) {
            pace.lookSoon(nanos());
        } else if (role instanceof Role.Doubting) {
            live = null;
            role = Role.Following.INSTANCE;
            pace.doubted(nanos());
            pace.lookSoon(nanos());
        }
    }

    private void written(Pending asked, WriteOutcome.Written outcome) {
        if (asked.kind() == Kind.RELEASE) {
            sightings.saw(outcome.now(), live, nanos());
            stopped();
            return;
        }
        if (!(outcome.now() instanceof Observation.Held held) || !held.isAttempt(live)) {
            proven(outcome.now(), asked.sent().monotonicNanos());
            return;
        }
        if (outcome.granted().isPresent() && !settings.sharesSession()) {
            granted(asked, outcome.granted().get().toNanos());
        }
        if (asked.kind() == Kind.RENEW && outcome.granted().isEmpty()) {
            renewAtNanos = nanos() + settings.timing().retryNanos();
        }
        sightings.saw(held, live, nanos());
        mine(held, asked.sent().monotonicNanos());
        if (asked.kind() == Kind.PROCLAIM && proclaims != null) {
            proclaimed(held.record().value());
        }
    }

    /** A grant, counted from the send of the request that carried it; void once the cell is latched. */
    private void granted(Pending asked, long grantedNanos) {
        LeaseWindow window = settings.timing().window(asked.sent(), grantedNanos);
        renewAtNanos = asked.sent().monotonicNanos() + renewAfter(grantedNanos);
        liveWindow = window;
        if (role instanceof Role.Leading leading && !leading.term().cell().extend(window)) {
            end(LossReason.LEASE_RAN_OUT, leading.held());
        } else if (role instanceof Role.Settling settling
                && !settling.term().cell().extend(window)) {
            stopWithoutTerm(LossReason.LEASE_RAN_OUT, settling.held());
        }
    }

    /** A little less than the interval, by chance, so that many records of one client are not renewed in one burst. */
    private long renewAfter(long grantedNanos) {
        long interval = settings.timing().granted(grantedNanos).renewNanos();
        return interval - entropy.below(interval / 10 + 1);
    }

    private void proclaimed(String published) {
        if (proclaims != null && published.equals(proclaims.value())) {
            proclaims.drain().forEach(c -> outbox.announce(new ElectionAction.Proclaimed(key, c, true)));
        }
    }

    private void refused(Pending asked, WriteOutcome.Refused outcome) {
        Observation seen = outcome.now().orElse(null);
        boolean mine = seen instanceof Observation.Held held && held.isAttempt(live);
        if (asked.kind() == Kind.ACQUIRE && !mine) {
            live = null;
            doubtfulRequest = -1;
            role = Role.Following.INSTANCE;
            pace.refused(
                    nanos(),
                    seen instanceof Observation.Held,
                    outcome.retryAfter().map(d -> d.toNanos()).orElse(0L));
        } else {
            renewAtNanos = nanos() + settings.timing().retryNanos();
            releaseAtNanos = renewAtNanos;
        }
        if (seen != null) {
            proven(seen, asked.sent().monotonicNanos());
        } else {
            pace.lookSoon(nanos());
        }
        if (asked.kind() == Kind.PROCLAIM && proclaims != null) {
            if (mine) {
                proclaimed(((Observation.Held) seen).record().value());
            }
            proclaimAgain();
        }
    }

    private void proclaimAgain() {
        if (proclaims != null
                && proclaims.value() != null
                && !proclaims.again(nanos() + settings.timing().retryNanos())) {
            rejectProclaims();
        }
    }

    private void faulted(ElectionEvent.Faulted e) {
        Pending asked = outbox.take(e.request());
        if (asked != null) {
            unanswered(asked);
            outbox.fault(e.message());
            pace.faulted(nanos());
        }
    }

    /** What {@code asked} did is not known: neither a win nor a loss. */
    private void unanswered(Pending asked) {
        long retryAt = nanos() + settings.timing().retryNanos();
        switch (asked.kind()) {
            case READ -> pace.silent(nanos());
            case ACQUIRE -> {
                doubtfulRequest = asked.request();
                role = role instanceof Role.Acquiring acquiring ? new Role.Doubting(acquiring.attempt()) : role;
                haunt();
                pace.lookSoon(nanos());
            }
            case RENEW -> renewAtNanos = retryAt;
            case PROCLAIM -> proclaimAgain();
            case RELEASE -> releaseAtNanos = retryAt;
            case REMOVE_STRAY -> {
                stray = null;
                pace.lookSoon(nanos());
            }
        }
    }

    /** An acquire under this session may yet land, and the session would keep the record alive: watch until the session is over. */
    private void haunt() {
        if (liveSession != null && !haunted.contains(liveSession)) {
            List<SessionLease> more = new ArrayList<>(haunted);
            more.add(liveSession);
            haunted = List.copyOf(more);
        }
    }

    // ---- what is due
    // -------------------------------------------------------------------------------------------------

    private void startWhatIsDue() {
        if (role instanceof Role.Stopping stopping) {
            proceedStopping(stopping);
        }
        if (role instanceof Role.Settling settling && nanos() >= settling.untilNanos()) {
            begin(settling.term(), settling.held());
        }
        if (role instanceof Role.Leading leading) {
            proceedHolding(leading.held());
        } else if (role instanceof Role.Settling settling) {
            proceedHolding(settling.held());
        } else if (role instanceof Role.Following) {
            proceedFollowing();
        } else if (role instanceof Role.Doubting) {
            readIfDue();
        }
        if (withdrawing && isGone()) {
            withdrawing = false;
            outbox.announce(new ElectionAction.Withdrawn(key));
        }
    }

    private boolean isGone() {
        return !work.isRunning() && stray == null && (role instanceof Role.Idle || role instanceof Role.Following);
    }

    private void proceedStopping(Role.Stopping stopping) {
        Observation.Held held = stopping.held();
        if (held == null || isCertainlyOver()) {
            // A write still under way is answered or times out first: one request at a time.
            if (outbox.isFree()) {
                outbox.abandonRead();
                stopped();
            }
        } else if (work.allowsRelease(nanos())) {
            if (outbox.isFree() && nanos() >= releaseAtNanos) {
                work.uncover();
                outbox.release(Kind.RELEASE, held, now);
            } else {
                readIfDue();
            }
        } else if (liveWindow != null && !liveWindow.isEndPassed(now)) {
            // Covers the work that is being stopped. After the own deadline a record may be somebody else's to take:
            // never renewed.
            renewIfDue(held);
        }
    }

    /** Where each record has its own lease and nobody renews it, the record dies by itself, and asking any longer is pointless. */
    private boolean isCertainlyOver() {
        return !settings.sharesSession()
                && liveWindow != null
                && work.allowsRelease(nanos())
                && nanos() - liveWindow.sentNanos() >= settings.freedNanos();
    }

    private void proceedHolding(Observation.Held held) {
        renewIfDue(held);
        String wanted = proclaims == null || nanos() < proclaims.tryAtNanos() ? null : proclaims.value();
        if (wanted != null && role instanceof Role.Leading && outbox.isFree()) {
            outbox.update(Kind.PROCLAIM, held, held.record().withValue(wanted), Intent.PROCLAIM, now);
        }
        readIfDue();
    }

    private void renewIfDue(Observation.Held held) {
        if (!settings.sharesSession() && outbox.isFree() && nanos() >= renewAtNanos) {
            outbox.update(Kind.RENEW, held, held.record(), Intent.RENEW, now);
        }
    }

    private void proceedFollowing() {
        Observation.Held mess = stray;
        if (mess != null && !work.isRunning()) {
            if (outbox.isFree()) {
                outbox.release(Kind.REMOVE_STRAY, mess, now);
            }
            return;
        }
        if (!standing && !observing && haunted.isEmpty() && mess == null) {
            outbox.abandonRead();
            role = outbox.pending() == null ? Role.Idle.INSTANCE : role;
            return;
        }
        Observation basis = mayTry() ? sightings.takeable(nanos()) : null;
        if (basis != null && outbox.isFree()) {
            acquire(basis);
        } else {
            readIfDue();
        }
    }

    private boolean mayTry() {
        return standing
                && !work.isRunning()
                && nanos() >= pace.tryAtNanos()
                && (!settings.sharesSession() || session != null && session.isOpen(now));
    }

    private void acquire(Observation basis) {
        Id attempt = entropy.nextId();
        live = attempt;
        liveSession = settings.sharesSession() ? session : null;
        liveWindow = settings.sharesSession()
                ? null
                : settings.timing().window(now, settings.timing().leaseNanos());
        renewAtNanos = nanos() + renewAfter(settings.timing().leaseNanos());
        doubtfulRequest = -1;
        role = new Role.Acquiring(attempt);
        LeaseTiming timing = liveSession == null ? settings.timing() : liveSession.timing();
        LeaderRecord proposal = LeaderRecord.proposal(
                settings.candidate(),
                settings.incarnation(),
                attempt,
                value,
                Duration.ofNanos(timing.leaseNanos()),
                now.wallMillis());
        outbox.acquire(basis, proposal, liveSession, now);
    }

    private void readIfDue() {
        if (outbox.pending() == null && nanos() >= pace.readAtNanos()) {
            pace.reading(nanos());
            outbox.read(now);
        }
    }

    // ---- what others are told
    // ----------------------------------------------------------------------------------------

    private void tell() {
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

    private Observation.@Nullable Held ownRecord() {
        return role instanceof Role.Leading leading
                ? leading.held()
                : role instanceof Role.Settling settling ? settling.held() : null;
    }

    /** When {@link ElectionEvent.Tick} is wanted; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos() {
        long wake = work.isOverrun() && !(role instanceof Role.Stopping) ? Long.MAX_VALUE : work.wakeAtNanos();
        Pending asked = outbox.pending();
        if (asked != null) {
            wake = Math.min(wake, asked.untilNanos());
        }
        if (standing || observing) {
            wake = Math.min(wake, ownRecord() == null ? sightings.viewChangesAtNanos(nanos()) : Long.MAX_VALUE);
        }
        boolean free = outbox.isFree();
        if (isHoldingRecord()) {
            wake = Math.min(wake, holdingWakeAtNanos(free));
        } else if (role instanceof Role.Following && mayTryOnceTimeHasPassed() && free) {
            wake = Math.min(wake, Math.max(pace.tryAtNanos(), sightings.takeableAtNanos()));
        }
        boolean looks = !(role instanceof Role.Idle) && !(role instanceof Role.Acquiring) && !isWaitingForWork();
        return looks && asked == null ? Math.min(wake, pace.readAtNanos()) : wake;
    }

    private boolean isWaitingForWork() {
        return role instanceof Role.Stopping && !work.allowsRelease(nanos());
    }

    private boolean mayTryOnceTimeHasPassed() {
        return standing && !work.isRunning() && stray == null && (!settings.sharesSession() || session != null);
    }

    private long holdingWakeAtNanos(boolean free) {
        long wake = Long.MAX_VALUE;
        if (role instanceof Role.Stopping stopping) {
            if (stopping.held() == null || !free) {
                return wake;
            }
            if (work.allowsRelease(nanos())) {
                return releaseAtNanos;
            }
            return liveWindow == null || liveWindow.isEndPassed(now) ? wake : renewAtNanos;
        }
        if (role instanceof Role.Settling settling) {
            wake = settling.untilNanos();
        }
        wake = Math.min(wake, sightUntilNanos);
        if (liveWindow != null) {
            wake = Math.min(wake, liveWindow.stopAtNanos());
            wake = free ? Math.min(wake, renewAtNanos) : wake;
        }
        return proclaims != null && free ? Math.min(wake, proclaims.tryAtNanos()) : wake;
    }

    // ---- what the candidate asks
    // -------------------------------------------------------------------------------------

    RecordKey key() {
        return key;
    }

    Role role() {
        return role;
    }

    boolean isStanding() {
        return standing;
    }

    /** A session that is open as this machine is made. */
    void offer(SessionLease open) {
        session = open;
    }

    /** Whether something of this machine's may stand in the store, or its work may run. */
    boolean isHolding() {
        return work.isRunning() || stray != null || !(role instanceof Role.Idle || role instanceof Role.Following);
    }

    /** Whether the common listing has to look for it. */
    boolean needsSight() {
        return settings.sharesSession()
                && (role instanceof Role.Leading || role instanceof Role.Settling || !haunted.isEmpty());
    }

    private boolean isHoldingRecord() {
        return role instanceof Role.Leading || role instanceof Role.Settling || role instanceof Role.Stopping;
    }

    Standing.State standing(Now at) {
        if (role instanceof Role.Leading) {
            return Standing.State.LEADING;
        } else if (role instanceof Role.Settling) {
            return Standing.State.SETTLING;
        } else if (role instanceof Role.Stopping) {
            return Standing.State.STOPPING;
        } else if (role instanceof Role.Doubting) {
            return Standing.State.UNSURE;
        } else if (!standing) {
            return Standing.State.NOT_STANDING;
        } else if (work.isRunning()) {
            return Standing.State.WAITING_FOR_OVERRUN;
        } else if (outbox.isFaulty()) {
            return Standing.State.FAULTY;
        }
        return pace.isCooling(at.monotonicNanos()) ? Standing.State.COOLING_DOWN : Standing.State.FOLLOWING;
    }

    private long nanos() {
        return now.monotonicNanos();
    }
}
