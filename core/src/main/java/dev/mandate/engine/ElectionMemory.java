package dev.mandate.engine;

import dev.mandate.CandidacyStatus.State;
import dev.mandate.EndReason;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one election remembers, and the transitions that follow from what the store is known to show. The base of {@link
 * ElectionMachine}: {@link ElectionDuties} adds what is due, {@link ElectionCommands} what users want, the machine
 * itself what happens.
 */
abstract sealed class ElectionMemory permits ElectionDuties {
    final RecordKey key;
    final ElectionSettings settings;
    final Entropy entropy;
    final Retries retries;
    final Hints hints;
    final Outbox outbox;
    final Sightings sightings;
    final Pace pace;
    final Work work;
    final Turn turn;

    /** Values to publish; null in most elections, which publish nothing after they begin. */
    @Nullable
    Proclaims proclaims;

    /**
     * An acquire under {@code session} that may still land: of any of several attempts if {@code attempt} is null. Once
     * the attempt was {@code seen}, only a second copy of its request may, and not after {@code untilNanos}.
     */
    record Haunting(SessionLease session, @Nullable Id attempt, boolean seen, long untilNanos) {}

    /** The number of instants in a renewal interval at which renewals may be sent. */
    private static final int RENEWAL_GRID = 64;

    Now now = Now.NEVER;
    Role role = Role.Idle.INSTANCE;

    /** Whether this candidate wants to lead. */
    boolean standing;
    /** Whether {@link ElectionAction.Withdrawn} is still owed. */
    boolean withdrawing;
    /** The value to campaign with once that has been announced; null for no campaign. */
    @Nullable
    String standingNext;
    /** Whether anybody follows who leads. */
    boolean observing;
    /** The value to publish when elected. */
    String value = "";

    /** The newest attempt, from its send until refused, superseded or released; it alone makes a record ours. */
    @Nullable
    Id live;
    /** What keeps the live attempt's lease, where sessions do. */
    @Nullable
    SessionLease liveSession;
    /** What bounds the live attempt, where each record has its own lease: its newest grant. */
    @Nullable
    LeaseWindow liveWindow;
    /** The acquire of the live attempt if it was never answered, else -1. */
    long doubtfulRequest = -1;
    /** A record left behind by an older attempt of ours. */
    Observation.@Nullable Held stray;
    /** Sessions under which an unanswered acquire may still land, and which would keep it alive. */
    List<Haunting> haunted = List.of();

    /** The session for the next attempt, where sessions keep the lease. */
    @Nullable
    SessionLease session;

    long renewAtNanos;
    int renewalFailed;
    /** A write was refused without showing the record: no write is sent before a read has shown it. */
    boolean looksFirst;
    /**
     * Where each record has its own lease: when the newest write was sent that may have prolonged the live one,
     * answered or not. Where a session keeps it: when its release was first tried.
     */
    long keptSinceNanos;
    /** Until when something between the client and the store may send the live attempt's acquire again. */
    long acquireUntilNanos;
    /** When the term ends if no read shows its record. */
    long sightUntilNanos;
    /** When the live attempt was last known to exist, and its basis: reads requested earlier disprove neither. */
    long confirmedAtNanos = Long.MIN_VALUE;

    long beganAtNanos;
    long releaseAtNanos = Long.MIN_VALUE;
    /** How many releases, or removals of a stray, failed in a row. */
    int lettingGoFailed;
    /** Whether the common listing fails to show this key. */
    boolean unlisted;

    ElectionMemory(RecordKey key, ElectionSettings settings, Shared shared) {
        this.key = key;
        this.settings = settings;
        this.entropy = shared.entropy();
        this.outbox = new Outbox(key, settings.timing().requestTimeoutNanos(), shared.requests());
        this.sightings = new Sightings(settings);
        this.retries = shared.retries();
        this.hints = shared.hints();
        this.pace = new Pace(settings.timing(), entropy, retries);
        this.work = new Work(settings.overrun(), settings.timing().leaseNanos());
        this.turn = new Turn(settings.timing().stepNanos(), settings.queue() != null);
    }

    // ---- what a read shows ----

    /** A linearizable read, requested after everything we know was confirmed. */
    void proven(Observation seen, long askedAtNanos) {
        if (!sightings.saw(seen, live, askedAtNanos, nanos())) {
            pace.lookSoon(nanos());
            return;
        }
        if (looksFirst) {
            looksFirst = false;
            releaseAtNanos = Math.min(releaseAtNanos, nanos());
        }
        if (seen instanceof Observation.Held held && held.isAttempt(live)) {
            mine(held, askedAtNanos);
            return;
        }
        rememberStray(seen);
        if (stray == null && !haunted.isEmpty()) {
            haunted = haunted.stream()
                    .filter(h -> !h.seen() || askedAtNanos - h.untilNanos() < 0)
                    .toList();
        }
        if (role instanceof Role.Leading) {
            end(seen instanceof Observation.Vacant ? EndReason.VANISHED : EndReason.DISPLACED, null);
        } else if (role instanceof Role.Settling) {
            stopWithoutTerm(EndReason.DISPLACED, null);
        } else if (role instanceof Role.Stopping stopping) {
            role = stopping.with(null);
        } else if (role instanceof Role.Doubting doubting && doubting.refused()) {
            live = null;
            role = Role.Following.INSTANCE;
        } else if (role instanceof Role.Doubting || role instanceof Role.Acquiring) {
            role = Role.Following.INSTANCE;
            pace.doubted(nanos());
        }
    }

    /** A read shows this. If a listing was answered meanwhile, it is unknown which of the two is newer. */
    void looked(Observation seen, long askedAtNanos) {
        if (askedAtNanos >= confirmedAtNanos) {
            proven(seen, askedAtNanos);
            return;
        }
        if (isMine(seen)) {
            sightUntilNanos = Math.max(sightUntilNanos, sightFrom(askedAtNanos));
        }
        Observation.Held own = ownRecord();
        if (own == null || !isMine(seen) || !own.basis().equals(((Observation.Held) seen).basis())) {
            pace.lookSoon(nanos());
        }
    }

    /** Remembers a stray: a record of this incarnation under an attempt that is not the live one. */
    void rememberStray(Observation seen) {
        stray = isOurs(seen) ? (Observation.Held) seen : null;
    }

    /** Whether it is a record of this incarnation. */
    boolean isOurs(Observation seen) {
        return seen instanceof Observation.Held held
                && !held.isForeign()
                && held.record().incarnation().equals(settings.incarnation());
    }

    /** Whether it is the record of the live attempt. */
    boolean isMine(@Nullable Observation seen) {
        return seen instanceof Observation.Held held && held.isAttempt(live);
    }

    /** The store shows the live attempt. */
    void mine(Observation.Held held, long askedAtNanos) {
        stray = null;
        confirmedAtNanos = nanos();
        landed(askedAtNanos);
        if (role instanceof Role.Leading leading) {
            role = leading.with(held);
            sightUntilNanos = Math.max(sightUntilNanos, sightFrom(askedAtNanos));
            if (held.record().leave()) {
                end(EndReason.EVICTED, held);
            } else if (held.term() != leading.term().number()) {
                // The record was gone, and a second copy of the request that won it created it anew,
                // with another token.
                end(EndReason.VANISHED, held);
            }
        } else if (role instanceof Role.Settling settling) {
            role = settling.with(held);
            sightUntilNanos = Math.max(sightUntilNanos, sightFrom(askedAtNanos));
            if (held.record().leave()) {
                stopWithoutTerm(EndReason.EVICTED, held);
            } else if (held.term() != settling.term().number()) {
                stopWithoutTerm(EndReason.VANISHED, held);
            }
        } else if (role instanceof Role.Stopping stopping) {
            role = stopping.with(held);
        } else {
            won(held, askedAtNanos);
        }
    }

    // ---- won, begun, ended, stopped ----

    void won(Observation.Held held, long askedAtNanos) {
        LeaseCell cell = liveCell();
        if (held.term() <= sightings.highestTerm() && !settings.registers()) {
            outbox.distrust(
                    "the store gave term " + held.term() + " after term " + sightings.highestTerm()
                            + " had been seen; it has lost data, and its tokens cannot be trusted until they have grown past that");
            pace.faulted(nanos());
            stopWithoutTerm(EndReason.RESIGNED, held);
            return;
        }
        if (!standing || work.isRunning() || cell == null || !cell.isOpenAt(now)) {
            stopWithoutTerm(standing ? EndReason.LEASE_RAN_OUT : EndReason.WITHDRAWN, held);
            return;
        }
        if (held.record().leave()) {
            stopWithoutTerm(EndReason.EVICTED, held);
            return;
        }
        sightUntilNanos = sightFrom(askedAtNanos);
        unlisted = false;
        pace.won(nanos());
        Term term = new Term(held.term(), held.record().attempt(), cell);
        long settle = sightings.settleNanos();
        if (settle > 0) {
            role = new Role.Settling(held, term, nanos() + settle);
        } else {
            begin(term, held);
        }
    }

    @Nullable
    LeaseCell liveCell() {
        if (settings.sharesSession()) {
            return liveSession == null ? null : liveSession.cell();
        }
        return liveWindow == null ? null : new LeaseCell(liveWindow);
    }

    long sightFrom(long askedAtNanos) {
        return isListed() ? askedAtNanos + settings.timing().sightNanos() : Long.MAX_VALUE;
    }

    void begin(Term term, Observation.Held held) {
        role = new Role.Leading(held, term);
        beganAtNanos = nanos();
        if (!settings.registers()) {
            work.begin(term);
        }
        sightings.led(term.number());
        outbox.trust();
        outbox.announce(new ElectionAction.Begin(key, term, held));
    }

    /** The term is over from this instant; {@code held} is our record if it may still exist, else null. */
    void end(EndReason reason, Observation.@Nullable Held held) {
        Term term = ((Role.Leading) role).term();
        term.end();
        outbox.announce(new ElectionAction.End(key, term, reason));
        if (proclaims != null) {
            proclaims.reject();
        }
        LeaseWindow window = term.cell().window();
        // If the stop has passed, for whatever reason, the deadline counts, on the clock that is ahead. If it has not,
        // the work has its whole budget, and renewals cover it meanwhile.
        long budget = window.isStopPassed(now) ? window.endRemainingNanos(now) : window.drainTimeoutNanos();
        // The thread that found the stop passed may have read the clocks after this machine.
        long passed = Math.min(term.cell().passedNanos(), window.stopAtNanos(now));
        long from = Math.max(nanos(), passed);
        long overrunAt = from + Math.min(budget, window.drainTimeoutNanos());
        work.stopBy(overrunAt, held == null ? null : liveSession);
        pace.ended(reason, nanos() - beganAtNanos);
        toStopping(new Role.Stopping(held, term, reason, overrunAt));
    }

    /** A record of ours exists, or existed, that must not become a term or did not get to be one. */
    void stopWithoutTerm(EndReason reason, Observation.@Nullable Held held) {
        pace.ended(reason, 0);
        toStopping(new Role.Stopping(held, null, reason, nanos()));
    }

    void toStopping(Role.Stopping stopping) {
        role = stopping;
        if (settings.once()) {
            withdrawing |= standing;
            standing = false;
        }
        lettingGoFailed = 0;
        releaseAtNanos = nanos();
        if (settings.sharesSession()) {
            keptSinceNanos = Long.MAX_VALUE;
        }
        pace.pause(nanos());
        if (looksFirst) {
            pace.lookSoon(nanos());
        } else {
            outbox.abandonRead();
        }
    }

    /** No record of ours is left. */
    void stopped() {
        work.uncover();
        live = null;
        lettingGoFailed = 0;
        releaseAtNanos = nanos();
        looksFirst = false;
        role = Role.Following.INSTANCE;
        pace.stopped(nanos());
        pace.lookSoon(nanos());
    }

    /** A renewal failed or granted nothing. */
    void renewLater() {
        renewalFailed++;
        long pause = settings.timing().renewalRetryNanos(renewalFailed);
        renewAtNanos = nanos() + pause;
    }

    /** A release, or the removal of a stray, failed. */
    void letGoLater() {
        lettingGoFailed++;
        releaseAtNanos = nanos() + retries.pauseNanos(lettingGoFailed, usualLookNanos(), nanos());
    }

    /** The longest pause after a read or release that failed. */
    long usualLookNanos() {
        LeaseTiming timing = settings.timing();
        if (settings.registers() && isReleasedInVain()) {
            return Math.max(timing.pollIntervalNanos(), timing.recordCheckIntervalNanos());
        }
        if (!settings.sharesSession() || ownRecord() == null) {
            return timing.pollIntervalNanos();
        }
        // A leader on a session store reads seldom, and must see its record within some time. The less of that is left,
        // the more often it reads, so that no pause hides a store that recovered a lease before the end.
        long seldom = timing.recordCheckIntervalNanos() / 4;
        return Math.max(
                timing.pollIntervalNanos(), isListed() ? Math.min(seldom, (sightUntilNanos - nanos()) / 3) : seldom);
    }

    /** Whether a record has withstood its release for longer than it could have lived without its session. */
    boolean isReleasedInVain() {
        return settings.sharesSession()
                && role instanceof Role.Stopping
                && keptSinceNanos != Long.MAX_VALUE
                && nanos() - keptSinceNanos >= settings.freedNanos();
    }

    /** It is unknown whether the acquire landed. */
    void doubt() {
        role = role instanceof Role.Acquiring acquiring ? new Role.Doubting(acquiring.attempt(), false) : role;
        if (liveSession != null && liveSession.isOver()) {
            // What the attempt did no longer counts.
            role = Role.Following.INSTANCE;
        }
        haunt();
        pace.lookInDoubt(nanos());
    }

    /** An acquire may still land under this session, which would keep it alive: watch until the session is over. */
    void haunt() {
        SessionLease under = liveSession;
        if (under != null && !under.isOver()) {
            boolean alone = haunted.stream().noneMatch(h -> h.session() == under);
            haunted = with(haunted, under, new Haunting(under, alone ? live : null, false, 0));
        }
    }

    /** The live attempt was seen. Only a copy of its request may still land, until its request time-out has passed. */
    void landed(long askedAtNanos) {
        SessionLease under = liveSession;
        if (under != null && !haunted.isEmpty() && haunted.contains(new Haunting(under, live, false, 0))) {
            boolean last = askedAtNanos - acquireUntilNanos >= 0;
            haunted = with(haunted, under, last ? null : new Haunting(under, live, true, acquireUntilNanos));
        }
    }

    /** {@code all} with {@code instead} replacing the entries of {@code session}; null for none. */
    static List<Haunting> with(List<Haunting> all, SessionLease session, @Nullable Haunting instead) {
        List<Haunting> changed = new ArrayList<>(all);
        changed.removeIf(h -> h.session() == session);
        if (instead != null) {
            changed.add(instead);
        }
        return List.copyOf(changed);
    }

    /**
     * When to renew the grant of a request sent at {@code sentNanos}: randomly a little before the interval is over,
     * so that a client does not renew many records in one burst; and only on a grid, so that renewals close together
     * share one wake-up.
     */
    long renewAt(long sentNanos, long grantedNanos) {
        long interval = settings.timing().granted(grantedNanos).renewIntervalNanos();
        long at = sentNanos + interval - entropy.below(interval / 10 + 1);
        return at - Math.floorMod(at, Math.max(1, interval / RENEWAL_GRID));
    }

    // ---- its state ----

    Observation.@Nullable Held ownRecord() {
        return role instanceof Role.Leading leading
                ? leading.held()
                : role instanceof Role.Settling settling ? settling.held() : null;
    }

    boolean isHoldingRecord() {
        return role instanceof Role.Leading || role instanceof Role.Settling || role instanceof Role.Stopping;
    }

    /** Whether the store may hold a record of this machine, or its work may run. */
    boolean isHolding() {
        return work.isRunning()
                || stray != null
                || outbox.isErasing()
                || !(role instanceof Role.Idle || role instanceof Role.Following);
    }

    /** Whether nobody campaigns in it, watches it or waits for it, and no answer is awaited. */
    boolean isIdle() {
        return role == Role.Idle.INSTANCE
                && !standing
                && !observing
                && !withdrawing
                && stray == null
                && !work.isRunning()
                && haunted.isEmpty()
                && outbox.pending() == null;
    }

    /** From then on it may be forgotten, if it is idle. */
    long forgettableAtNanos() {
        return pace.settledAtNanos();
    }

    /** Whether the common listing must show it while it holds a record: a renewed session does not prove the record. */
    boolean isListed() {
        return settings.sharesSession() && !settings.registers();
    }

    /** Whether the common listing has to look for it now. */
    boolean needsSight() {
        return isListed() && (role instanceof Role.Leading || role instanceof Role.Settling || !haunted.isEmpty());
    }

    /** Whether it needs the news of sessions. */
    boolean dependsOnSessions() {
        return standing || isHolding() || !haunted.isEmpty();
    }

    /** Whether it campaigns, and has won nothing. */
    boolean isWaiting() {
        return standing && !isHoldingRecord();
    }

    /** Whether nothing is left of its candidacy, so that another one begins at once. */
    boolean isAtRest() {
        return !standing && !withdrawing;
    }

    boolean isGone() {
        return !work.isRunning() && stray == null && (role instanceof Role.Idle || role instanceof Role.Following);
    }

    State status(Now at) {
        if (role instanceof Role.Leading) {
            return State.LEADING;
        } else if (role instanceof Role.Settling) {
            return State.SETTLING;
        } else if (role instanceof Role.Stopping) {
            return State.STOPPING;
        } else if (role instanceof Role.Doubting) {
            return State.UNSURE;
        } else if (!standing) {
            return State.NOT_CAMPAIGNING;
        } else if (work.isRunning()) {
            return State.WAITING_FOR_OVERRUN;
        } else if (outbox.isFaulty()) {
            return State.FAULTY;
        }
        return pace.isCooling(at.monotonicNanos()) ? State.COOLING_DOWN : State.FOLLOWING;
    }

    long nanos() {
        return now.monotonicNanos();
    }
}
