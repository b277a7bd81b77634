package dev.mandate.engine;

import dev.mandate.engine.Pending.Kind;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an election has to do at an instant. That depends on the role and the clock alone, never on the event, so that
 * a lost event costs only time. {@link #wakeAtNanos()} must name every instant at which {@link #startWhatIsDue()}
 * would do something.
 */
abstract sealed class ElectionDuties extends ElectionMemory permits ElectionCommands {

    /** How many unanswered tries to erase a leftover are made. */
    private static final int ERASES_MAX = 3;

    /** The stance that was announced last. */
    private Stance stance = Stance.Absent.INSTANCE;

    /** What is left of a place that was given up, to be erased; null for nothing. */
    private Observation.@Nullable Vacant leftover;

    private int erases;

    ElectionDuties(RecordKey key, ElectionSettings settings, Shared shared) {
        super(key, settings, shared);
    }

    void startWhatIsDue() {
        if (role instanceof Role.Stopping stopping) {
            proceedStopping(stopping);
        }
        if (role instanceof Role.Settling settling && nanos() >= settling.untilNanos()) {
            begin(settling.term(), settling.held());
        }
        lookForTurn();
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
            // If a write of this candidacy still lands, it is a stray to the next.
            live = null;
            outbox.announce(new ElectionAction.Withdrawn(key));
            if (standingNext != null) {
                String next = standingNext;
                standingNext = null;
                stand(next);
            }
        }
    }

    void stand(String proposed) {
        pace.stand(nanos());
        // First: if this fails, the next command to campaign does it all.
        wakeUp();
        value = proposed;
        standing = true;
        leftover = null;
    }

    /** Our record is gone; {@code seen} shows its key now. */
    void leaves(@Nullable Observation seen) {
        if (settings.erases() && !standing && seen instanceof Observation.Vacant vacant) {
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
        if (role == Role.Idle.INSTANCE) {
            pace.start(nanos());
            role = Role.Following.INSTANCE;
        } else if (role instanceof Role.Following) {
            // Until now it only waited for a late record of ours, with rare reads.
            pace.lookSoon(nanos());
        }
    }

    /** Whether a write on our record may be sent: nothing but a read is pending, and the record is not in doubt. */
    boolean mayWrite() {
        return outbox.isFree() && !looksFirst;
    }

    void proceedStopping(Role.Stopping stopping) {
        Observation.Held held = stopping.held();
        if (held == null || isCertainlyOver()) {
            // A write still under way is answered or times out first: one request at a time.
            if (outbox.isFree()) {
                outbox.abandonRead();
                stopped();
                leaves(sightings.latest());
            }
        } else if (work.allowsRelease(nanos())) {
            release(held);
        } else {
            if (liveWindow != null && !liveWindow.isEndPassed(now)) {
                // Covers the work that is being stopped. Never renewed after our own deadline, when others
                // may take the record.
                renewIfDue(held);
            }
            readIfDue();
        }
    }

    void release(Observation.Held held) {
        if (mayWrite() && nanos() >= releaseAtNanos) {
            work.uncover();
            if (settings.sharesSession()) {
                keptSinceNanos = Math.min(keptSinceNanos, nanos());
            }
            outbox.release(Kind.RELEASE, held, now);
        } else {
            readIfDue();
        }
        if (isReleasedInVain() && liveSession != null && !settings.registers()) {
            // The session would keep alive for ever what nobody can release, so all its terms end, and the session with
            // them. A registration is not worth that: its record stays until it can be released, or the session ends.
            liveSession.cell().latch();
        }
    }

    /** Where each record has its own lease, an unrenewed record dies by itself, and asking any longer is pointless. */
    boolean isCertainlyOver() {
        return !settings.sharesSession()
                && liveWindow != null
                && work.allowsRelease(nanos())
                && nanos() - keptSinceNanos >= settings.freedNanos();
    }

    void proceedHolding(Observation.Held held) {
        renewIfDue(held);
        String wanted = proclaims == null ? null : proclaims.due(nanos());
        if (wanted != null && role instanceof Role.Leading && mayWrite() && leavesTimeToRenew()) {
            keptSinceNanos = nanos();
            outbox.update(Kind.PROCLAIM, held, held.record().withValue(wanted), Intent.PROCLAIM, now);
        }
        readIfDue();
    }

    /** Whether a value can be published without costing a renewal one of its tries. */
    boolean leavesTimeToRenew() {
        return settings.sharesSession() || nanos() + settings.timing().requestTimeoutNanos() <= renewAtNanos;
    }

    void renewIfDue(Observation.Held held) {
        if (!settings.sharesSession() && mayWrite() && nanos() >= renewAtNanos) {
            keptSinceNanos = nanos();
            outbox.update(Kind.RENEW, held, held.record(), Intent.RENEW, now);
        }
    }

    void proceedFollowing() {
        Observation.Held mess = stray;
        if (mess != null && work.allowsRelease(nanos())) {
            if (outbox.isFree() && nanos() >= releaseAtNanos) {
                outbox.release(Kind.REMOVE_STRAY, mess, now);
            } else {
                readIfDue();
            }
            return;
        }
        if (leftover != null && outbox.isFree()) {
            outbox.erase(leftover, now);
            return;
        }
        if (!standing && !observing && haunted.isEmpty() && mess == null) {
            outbox.abandonRead();
            role = outbox.pending() == null ? Role.Idle.INSTANCE : role;
            return;
        }
        Observation basis = mayTry() ? sightings.takeable(nanos()) : null;
        if (basis != null && outbox.isFree() && (!settings.ordered() || turn.isDue(nanos()))) {
            acquire(basis);
        } else {
            readIfDue();
        }
    }

    boolean mayTry() {
        return standing && !work.isRunning() && nanos() >= pace.tryAtNanos() && hasWhatKeepsALease();
    }

    boolean hasWhatKeepsALease() {
        return !settings.sharesSession() || session != null && session.isOpen(now);
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
        boolean isVacant = sightings.takeable(nanos()) != null;
        if (!isCandidate() || !isVacant && !sightings.isOutdated()) {
            turn.end();
        } else if (isVacant && !isHeldOff()) {
            turn.begin(nanos());
        }
    }

    /** Whether only a holder, or a pause, keeps it from trying to acquire. */
    boolean isCandidate() {
        boolean holds = role instanceof Role.Idle || isHoldingRecord();
        return !holds && standing && !work.isRunning() && stray == null && hasWhatKeepsALease();
    }

    /** Whether it pauses for another reason than a lost race. */
    boolean isHeldOff() {
        return nanos() < pace.tryAtNanos() && (outbox.isFaulty() || pace.isCooling(nanos()));
    }

    /** Whether it may take a place in a queue: as soon as it could lead if nobody else did. */
    boolean mayQueue() {
        return isCandidate() && !isHeldOff();
    }

    Stance stance() {
        if (role instanceof Role.Leading leading) {
            return new Stance.Leading(leading.term().number());
        } else if (role instanceof Role.Settling settling) {
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
            outbox.announce(new ElectionAction.Stood(key, stands));
        }
    }

    void acquire(Observation basis) {
        Id attempt = entropy.nextId();
        live = attempt;
        liveSession = settings.sharesSession() ? session : null;
        liveWindow = settings.sharesSession() ? null : settings.timing().window(now, settings.grantedAtLeastNanos());
        renewAtNanos = renewAt(nanos(), settings.grantedAtLeastNanos());
        renewalFailed = 0;
        doubtfulRequest = -1;
        looksFirst = false;
        keptSinceNanos = nanos();
        acquireUntilNanos = nanos() + settings.timing().requestTimeoutNanos();
        role = new Role.Acquiring(attempt);
        pace.acquiring(nanos());
        LeaseTiming timing = liveSession == null ? settings.timing() : liveSession.timing();
        LeaderRecord proposal = LeaderRecord.proposal(
                settings.candidate(),
                settings.incarnation(),
                attempt,
                value,
                Duration.ofNanos(timing.leaseNanos()),
                now.wallMillis());
        outbox.acquire(basis, settings.queue() == null ? proposal : proposal.withOrder(Queue.WORD), liveSession, now);
    }

    void readIfDue() {
        if (outbox.pending() == null && nanos() >= pace.readAtNanos()) {
            pace.reading(nanos());
            outbox.read(now);
        }
    }

    // ---- when ----

    /** When {@link ElectionEvent.Tick} is wanted; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos() {
        long wake = work.wakeAtNanos(nanos());
        Pending asked = outbox.pending();
        if (asked != null) {
            wake = Math.min(wake, asked.untilNanos());
        }
        if (standing || observing) {
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
        if (role instanceof Role.Stopping stopping) {
            if (stopping.held() == null || !free) {
                return wake;
            }
            if (work.allowsRelease(nanos())) {
                // Where each record has its own lease, it is certainly over at some time, released or not.
                return settings.sharesSession()
                        ? releaseAtNanos
                        : Math.min(releaseAtNanos, keptSinceNanos + settings.freedNanos());
            }
            return liveWindow == null || liveWindow.isEndPassed(now) ? wake : renewAtNanos;
        }
        if (role instanceof Role.Settling settling) {
            wake = settling.untilNanos();
        }
        wake = Math.min(wake, sightUntilNanos);
        if (liveWindow != null) {
            wake = Math.min(wake, liveWindow.stopAtNanos(now));
            wake = free ? Math.min(wake, renewAtNanos) : wake;
        }
        return free && proclaims != null && leavesTimeToRenew() ? Math.min(wake, proclaims.tryAtNanos()) : wake;
    }

    boolean mayTryOnceTimeHasPassed() {
        return standing
                && !work.isRunning()
                && stray == null
                && (!settings.sharesSession()
                        || session != null && !session.cell().isLatched());
    }

    // ---- what others ask ----

    RecordKey key() {
        return key;
    }

    Role role() {
        return role;
    }

    boolean isStanding() {
        return standing;
    }
}
