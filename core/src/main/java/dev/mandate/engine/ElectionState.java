package dev.mandate.engine;

import dev.mandate.CandidacyStatus;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import org.jspecify.annotations.Nullable;

/** What one election's machine remembers from step to step. Its parts share it; none of them keeps a copy. */
final class ElectionState {
    final RecordKey key;
    final ElectionSettings settings;
    final Shared shared;
    final Outbox outbox;
    final Sightings sightings;
    final Pace pace;
    final Work work;
    final Turn turn;
    final Wanted wanted = new Wanted();
    LateAcquires lateAcquires = LateAcquires.NONE;

    /** Values to publish; null in most elections, which publish nothing after they begin. */
    @Nullable
    Proclaims proclaims;

    /** The number of instants in a renewal interval at which renewals may be sent. */
    private static final int RENEWAL_GRID = 64;

    Now now = Now.NEVER;
    Role role = Role.Idle.INSTANCE;

    /** The newest attempt, from its send until refused, superseded or released; it alone makes a record ours. */
    @Nullable
    Attempt attempt;
    /** The newest acquire if it was never answered, else -1. */
    long doubtfulRequest = -1;
    /** When an attempt was last known to exist: reads requested earlier do not disprove it. */
    long confirmedAtNanos = Long.MIN_VALUE;
    /** When the newest term began. */
    long beganAtNanos;
    /** A record left behind by an older attempt of ours. */
    Observation.@Nullable Held stray;
    /** The session for the next attempt, where sessions keep the lease. */
    @Nullable
    SessionLease session;

    /** What is left of a place that was given up, to be erased; null for nothing. */
    Observation.@Nullable Vacant leftover;
    /** How many tries to erase it were not answered. */
    int erases;

    /** The stance that was announced last. */
    Stance stance = Stance.Absent.INSTANCE;
    /** What observers were told last. */
    View told = View.UNKNOWN;

    /** A write was refused without showing the record: no write is sent before a read has shown it. */
    boolean looksFirst;
    /** Whether the common listing fails to show this key. */
    boolean unlisted;

    /** When a record of ours, or a stray, may be released. */
    long releaseAtNanos = Long.MIN_VALUE;
    /** How many releases, or removals of a stray, failed in a row. */
    private int releasesFailed;

    ElectionState(RecordKey key, ElectionSettings settings, Shared shared) {
        this.key = key;
        this.settings = settings;
        this.shared = shared;
        this.outbox = new Outbox(key, settings, shared);
        this.sightings = new Sightings(settings);
        this.pace = new Pace(settings.timing(), shared);
        this.work = new Work(settings);
        this.turn = settings.ordered() ? new Turn(settings.timing().stepNanos(), settings.queue() != null) : Turn.NEVER;
    }

    long nanos() {
        return now.monotonicNanos();
    }

    @Nullable
    Id attemptId() {
        return attempt == null ? null : attempt.id();
    }

    /** The session that keeps the newest attempt alive, if any. */
    @Nullable
    SessionLease attemptSession() {
        return attempt == null ? null : attempt.session();
    }

    /** What bounds the newest attempt, where each record has its own lease. */
    @Nullable
    LeaseWindow attemptWindow() {
        return attempt == null ? null : attempt.window();
    }

    /** Whether it is the record of the newest attempt. */
    boolean isMine(@Nullable Observation seen) {
        return seen instanceof Observation.Held held && held.isAttempt(attemptId());
    }

    /** Whether it is a record of this incarnation. */
    boolean isOurs(Observation seen) {
        return seen instanceof Observation.Held held
                && !held.isForeign()
                && held.record().incarnation().equals(settings.incarnation());
    }

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
                && wanted.isAtRest()
                && !wanted.observes()
                && stray == null
                && !work.isRunning()
                && lateAcquires.isEmpty()
                && outbox.pending() == null;
    }

    /** Whether nothing of a candidacy is left in the store or at work. */
    boolean isGone() {
        return !work.isRunning() && stray == null && (role instanceof Role.Idle || role instanceof Role.Following);
    }

    /** Whether it campaigns, and has won nothing. */
    boolean isWaiting() {
        return wanted.campaigns() && !isHoldingRecord();
    }

    /** Whether the common listing must show it while it holds a record: a renewed session does not prove the record. */
    boolean isListed() {
        return settings.sharesSession() && !settings.registers();
    }

    /** Whether the common listing, which a gap hurries, reads it: then it need not read by itself. */
    boolean isListedWithOthers() {
        return settings.sharesSession() && (role instanceof Role.Leading || role instanceof Role.Settling);
    }

    /** Whether the common listing has to look for it now. */
    boolean needsSight() {
        return isListed() && (role instanceof Role.Leading || role instanceof Role.Settling || !lateAcquires.isEmpty());
    }

    /** Whether it needs the news of sessions. */
    boolean dependsOnSessions() {
        return wanted.campaigns() || isHolding() || !lateAcquires.isEmpty();
    }

    /** Until when a read that was asked for then lets a term go on. */
    long sightFrom(long askedAtNanos) {
        return isListed() ? askedAtNanos + settings.timing().sightNanos() : Long.MAX_VALUE;
    }

    /**
     * When to renew the grant of a request sent at {@code sentNanos}: randomly a little before the interval is over,
     * so that a client does not renew many records in one burst; and only on a grid, so that renewals close together
     * share one wake-up.
     */
    long renewAt(long sentNanos, long grantedNanos) {
        long interval = settings.timing().granted(grantedNanos).renewIntervalNanos();
        long at = sentNanos + interval - shared.entropy().below(interval / 10 + 1);
        return at - Math.floorMod(at, Math.max(1, interval / RENEWAL_GRID));
    }

    // ---- releases ----

    /** A release may be tried at once. */
    void mayRelease() {
        releasesFailed = 0;
        releaseAtNanos = nanos();
    }

    /** A release, or the removal of a stray, succeeded. */
    void released() {
        releasesFailed = 0;
    }

    /** A release, or the removal of a stray, failed. */
    void releaseLater() {
        releasesFailed++;
        releaseAtNanos = nanos() + shared.retries().pauseNanos(releasesFailed, usualLookNanos(), nanos());
    }

    /** Whether a record has withstood its release for longer than it could have lived without its session. */
    boolean isReleasedInVain() {
        return settings.sharesSession()
                && role instanceof Role.Stopping
                && attempt != null
                && attempt.releasedSinceNanos != Long.MAX_VALUE
                && nanos() - attempt.releasedSinceNanos >= settings.freedNanos();
    }

    /** The longest pause after a read or release that failed. */
    long usualLookNanos() {
        LeaseTiming timing = settings.timing();
        if (settings.registers() && isReleasedInVain()) {
            return Math.max(timing.pollIntervalNanos(), timing.recordCheckIntervalNanos());
        }
        if (!settings.sharesSession() || ownRecord() == null || attempt == null) {
            return timing.pollIntervalNanos();
        }
        // A leader on a session store reads seldom, and must see its record within some time. The less of that is left,
        // the more often it reads, so that no pause hides a store that recovered a lease before the end.
        long seldom = timing.recordCheckIntervalNanos() / 4;
        long left = attempt.sightUntilNanos - nanos();
        return Math.max(timing.pollIntervalNanos(), isListed() ? Math.min(seldom, left / 3) : seldom);
    }

    // ---- what may be done ----

    /** Whether a write on our record may be sent: nothing but a read is pending, and the record is not in doubt. */
    boolean mayWrite() {
        return outbox.isFree() && !looksFirst;
    }

    /** Whether a value can be published without costing a renewal one of its tries. */
    boolean leavesTimeToRenew() {
        return settings.sharesSession() || nanos() + settings.timing().requestTimeoutNanos() <= renewAtNanos();
    }

    boolean hasWhatKeepsALease() {
        return !settings.sharesSession() || session != null && session.isOpen(now);
    }

    /** Whether only a holder, or a pause, keeps it from trying to acquire. */
    boolean isCandidate() {
        boolean holds = role instanceof Role.Idle || isHoldingRecord();
        return !holds && wanted.campaigns() && !work.isRunning() && stray == null && hasWhatKeepsALease();
    }

    /** Whether it pauses for another reason than a lost race. */
    boolean isHeldOff() {
        return nanos() < pace.tryAtNanos() && (outbox.isFaulty() || pace.isCooling(nanos()));
    }

    /** Whether it may take a place in a queue: as soon as it could lead if nobody else did. */
    boolean mayQueue() {
        return isCandidate() && !isHeldOff();
    }

    long renewAtNanos() {
        return attempt == null ? Long.MAX_VALUE : attempt.renewAtNanos;
    }

    // ---- when ----

    /** When {@link ElectionEvent.Tick} is wanted; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos() {
        long wake = work.wakeAtNanos(nanos());
        Pending asked = outbox.pending();
        if (asked != null) {
            wake = Math.min(wake, asked.untilNanos());
        }
        if (wanted.campaigns() || wanted.observes()) {
            wake = Math.min(wake, ownRecord() == null ? sightings.viewChangesAtNanos(nanos()) : Long.MAX_VALUE);
        }
        if (isHoldingRecord()) {
            wake = Math.min(wake, holdingWakeAtNanos(mayWrite()));
        } else if (role instanceof Role.Following && stray != null) {
            wake = outbox.isFree() && work.allowsRelease(nanos()) ? Math.min(wake, releaseAtNanos) : wake;
        } else if (role instanceof Role.Following && mayTryOnceTimeHasPassed()) {
            wake = Math.min(wake, followingWakeAtNanos(outbox.isFree()));
        }
        boolean looks = !(role instanceof Role.Idle) && !(role instanceof Role.Acquiring);
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
        Attempt newest = attempt;
        if (newest == null) {
            return wake;
        }
        LeaseWindow window = newest.window();
        if (role instanceof Role.Stopping stopping) {
            if (stopping.held() == null || !free) {
                return wake;
            }
            if (work.allowsRelease(nanos())) {
                // Where each record has its own lease, it is certainly over at some time, released or not.
                return settings.sharesSession()
                        ? releaseAtNanos
                        : Math.min(releaseAtNanos, newest.prolongedAtNanos + settings.freedNanos());
            }
            return window == null || window.isEndPassed(now) ? wake : newest.renewAtNanos;
        }
        if (role instanceof Role.Settling settling) {
            wake = settling.untilNanos();
        }
        wake = Math.min(wake, newest.sightUntilNanos);
        if (window != null) {
            wake = Math.min(wake, window.stopAtNanos(now));
            wake = free ? Math.min(wake, newest.renewAtNanos) : wake;
        }
        return free && proclaims != null && leavesTimeToRenew() ? Math.min(wake, proclaims.tryAtNanos()) : wake;
    }

    boolean mayTryOnceTimeHasPassed() {
        return wanted.campaigns()
                && !work.isRunning()
                && stray == null
                && (!settings.sharesSession()
                        || session != null && !session.cell().isLatched());
    }

    // ---- what is told ----

    CandidacyStatus.State status(Now at) {
        if (role instanceof Role.Leading) {
            return CandidacyStatus.State.LEADING;
        } else if (role instanceof Role.Settling) {
            return CandidacyStatus.State.SETTLING;
        } else if (role instanceof Role.Stopping) {
            return CandidacyStatus.State.STOPPING;
        } else if (role instanceof Role.Doubting) {
            return CandidacyStatus.State.UNSURE;
        } else if (!wanted.campaigns()) {
            return CandidacyStatus.State.NOT_CAMPAIGNING;
        } else if (work.isRunning()) {
            return CandidacyStatus.State.WAITING_FOR_OVERRUN;
        } else if (outbox.isFaulty()) {
            return CandidacyStatus.State.FAULTY;
        }
        return pace.isCooling(at.monotonicNanos())
                ? CandidacyStatus.State.COOLING_DOWN
                : CandidacyStatus.State.FOLLOWING;
    }
}
