package dev.mandate.engine;

import dev.mandate.Settle;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What a machine has seen of its key, and when: the basis for "may I take it?" and for reports to observers. All times
 * are monotonic: a step of the wall clock never shortens a wait.
 */
final class Sightings {
    private final ElectionSettings settings;
    /** The newest observation; null until the store has answered. */
    private @Nullable Observation latest;
    /** How long the latest holder may be silent before it counts as dead; {@code Long.MAX_VALUE} for ever. */
    private long patienceNanos;

    /** A vacancy that may be older than what is known: good for a conditional try, not for a report to observers. */
    private Observation.@Nullable Vacant unproven;

    private boolean outdated;
    private Observation.@Nullable Held former;
    private @Nullable Liveness liveness;
    private long livenessSinceNanos;
    /** When a hint last showed a sign of life other than the known one. */
    private long livenessHintedAtNanos = Long.MIN_VALUE;

    /** The sign of life in the last answer, and what was known of it then. */
    private @Nullable Liveness answered;

    private long answeredSinceNanos;
    private boolean answeredVerified;
    /** When the newest read that showed {@link #latest} was requested. */
    private long lookedAtNanos;

    private boolean verified;
    private long heardAtNanos;
    private boolean hinted;
    private long hintedAtNanos;
    private long highestTerm;
    /** Like {@link #highestTerm}, with the live attempt's. */
    private long newestTerm;

    Sightings(ElectionSettings settings) {
        this.settings = settings;
    }

    /**
     * A linearizable answer to a request sent at {@code askedAtNanos} showed this. A hint since then may have shown
     * something later: then an answer without a later term only says that the store is alive.
     *
     * @return false if a hint has overtaken it like that
     */
    boolean saw(Observation observation, @Nullable Id live, long askedAtNanos, long nowNanos) {
        heardAtNanos = nowNanos;
        boolean overtaken = hinted
                && askedAtNanos <= hintedAtNanos
                && !(observation instanceof Observation.Held held && (held.term() > newestTerm || isKnown(held)));
        if (!overtaken) {
            note(observation, live, nowNanos);
            lookedAtNanos = askedAtNanos;
            remember(observation, askedAtNanos);
        } else if (observation instanceof Observation.Vacant vacant) {
            suppose(vacant);
        }
        return !overtaken;
    }

    /**
     * Two answers that show the same prove that it lasted from the one to the other. So a hint that showed another sign
     * of life before the second request was late, and the wait goes on as if it had not come. A later hint may be newer
     * than the answer, so it counts.
     */
    private void remember(Observation observation, long askedAtNanos) {
        if (!(observation instanceof Observation.Held held)) {
            return;
        }
        if (!held.liveness().equals(answered)) {
            answered = liveness;
            answeredSinceNanos = livenessSinceNanos;
            answeredVerified = verified;
        } else if (askedAtNanos > livenessHintedAtNanos) {
            livenessSinceNanos = answeredSinceNanos;
            verified = answeredVerified;
        }
    }

    /**
     * A hint showed this. Hints may be late and out of order, so only a term that surely follows the known one counts
     * at once. Returns whether a read must decide: a vacancy, a foreign record, or another record of the known term may
     * be older than what is known.
     */
    boolean heardOf(Observation observation, @Nullable Id live, long nowNanos) {
        if (observation instanceof Observation.Vacant vacant) {
            suppose(vacant);
            return !(latest instanceof Observation.Vacant);
        }
        Observation.Held held = (Observation.Held) observation;
        if (held.term() < newestTerm) {
            return false;
        }
        boolean known = isKnown(held);
        boolean news = !known && !held.isForeign() && isSurelyLater(held);
        if (news) {
            hinted = true;
            hintedAtNanos = nowNanos;
        }
        if (!held.liveness().equals(liveness)) {
            livenessHintedAtNanos = nowNanos;
        }
        if (news || known) {
            note(held, live, nowNanos);
            return false;
        }
        // The vacancy may be gone: a try to take it would probably be refused.
        outdated |= !(latest instanceof Observation.Held);
        return true;
    }

    /**
     * Whether a record surely came after what is known. A larger term came after the known one. A known vacancy lay
     * between the two, unless a take-over leaves none, as where observers judge.
     */
    private boolean isSurelyLater(Observation.Held held) {
        boolean vacant = latest instanceof Observation.Vacant && settings.expiry() != Expiry.OBSERVER_JUDGES;
        boolean led = latest instanceof Observation.Held before && !before.isForeign();
        return newestTerm > 0 && held.term() > newestTerm && (vacant || led);
    }

    /** Whether it tells observers nothing new. */
    private boolean isKnown(Observation.Held held) {
        return latest instanceof Observation.Held before
                && View.led(before, true).tellsTheSameAs(View.led(held, true));
    }

    /** Whether it tells observers something new that only a write can have changed. */
    boolean isNews(Observation seen) {
        return seen instanceof Observation.Held held ? !isKnown(held) : !(latest instanceof Observation.Vacant);
    }

    private void suppose(Observation.Vacant vacant) {
        unproven = vacant;
        outdated = false;
    }

    private void note(Observation observation, @Nullable Id live, long nowNanos) {
        unproven = null;
        outdated = false;
        if (!(observation instanceof Observation.Held shown)) {
            latest = observation;
            patienceNanos = 0;
            return;
        }
        Observation.Held held = kept(shown);
        if (held != latest) {
            latest = held;
            patienceNanos = patienceNanos(held);
        }
        newestTerm = Math.max(newestTerm, held.term());
        if (!held.isAttempt(live)) {
            highestTerm = Math.max(highestTerm, held.term());
            former = held;
        }
        if (!held.liveness().equals(liveness)) {
            // The first sight of a holder does not show that it is alive; any change after that does.
            verified = liveness != null;
            liveness = held.liveness();
            livenessSinceNanos = nowNanos;
        }
    }

    /**
     * The latest observation if it equals {@code shown}, else {@code shown}. Writes, hints and listings all show the
     * same record; one object for it is enough.
     */
    Observation.Held kept(Observation.Held shown) {
        return latest instanceof Observation.Held before && isSame(before, shown) ? before : shown;
    }

    private static boolean isSame(Observation.Held one, Observation.Held other) {
        return !one.isForeign()
                && !other.isForeign()
                && one.basis().equals(other.basis())
                && one.liveness().equals(other.liveness())
                && one.term() == other.term()
                && one.record().equals(other.record());
    }

    /** This candidate leads: it need not settle for a former leader any more. */
    void led(long term) {
        former = null;
        highestTerm = Math.max(highestTerm, term);
    }

    /** The largest term seen under any attempt but the live one. */
    long highestTerm() {
        return highestTerm;
    }

    /** The newest observation; null until the store has answered. */
    @Nullable
    Observation latest() {
        return latest;
    }

    /** A write was refused without showing the key: nothing is tried before another read. */
    void outdated() {
        outdated = true;
    }

    /** Whether only a read can show the key's state. */
    boolean isOutdated() {
        return outdated;
    }

    /** The term of the record that was seen last; 0 for none. */
    long leaderTerm() {
        return latest instanceof Observation.Held held ? Math.max(0, held.term()) : 0;
    }

    /** A basis for an acquire now, or null. */
    @Nullable
    Observation takeable(long nowNanos) {
        if (outdated) {
            return null;
        }
        if (unproven != null) {
            return unproven;
        }
        if (latest instanceof Observation.Vacant) {
            return latest;
        }
        return latest instanceof Observation.Held held && takeableAtNanos(held) <= nowNanos ? held : null;
    }

    /** When {@link #takeable} turns non-null if nothing changes; {@code Long.MAX_VALUE} for never. */
    long takeableAtNanos() {
        if (outdated) {
            return Long.MAX_VALUE;
        }
        if (unproven != null) {
            return Long.MIN_VALUE;
        }
        if (latest instanceof Observation.Held held) {
            return takeableAtNanos(held);
        }
        return latest == null ? Long.MAX_VALUE : Long.MIN_VALUE;
    }

    /** A full lease, as the holder's record states, from when its last sign of life was first seen here. */
    private long takeableAtNanos(Observation.Held held) {
        return patienceNanos == Long.MAX_VALUE ? Long.MAX_VALUE : livenessSinceNanos + patienceNanos;
    }

    private long patienceNanos(Observation.Held held) {
        boolean ours = !held.isForeign() && held.record().incarnation().equals(settings.incarnation());
        if (!settings.isJudged() || ours) {
            // We release our own record instead of outliving it: taking it would end the session we campaign with.
            return Long.MAX_VALUE;
        }
        return leaseNanos(held);
    }

    private long leaseNanos(Observation.Held held) {
        long known = held.lease().map(LeaseTiming::boundedNanos).orElse(0L);
        return known > 0 ? known : settings.timing().leaseNanos();
    }

    /** How long a win must settle before it is announced. */
    long settleNanos() {
        Observation.Held before = former;
        if (before != null && before.isForeign()) {
            return settings.settle() == Settle.NEVER ? 0 : foreignNanos(before);
        }
        if (settings.settle() != Settle.ALWAYS) {
            return 0;
        }
        return before == null ? settings.timing().leaseNanos() : leaseNanos(before);
    }

    private long foreignNanos(Observation.Held foreign) {
        return settings.settleTimeNanos() > 0
                ? settings.settleTimeNanos()
                : Math.max(settings.timing().leaseNanos(), leaseNanos(foreign));
    }

    /** What observers should learn now. */
    View view(long nowNanos) {
        if (latest == null || nowNanos >= staleAtNanos()) {
            return View.UNKNOWN;
        }
        if (!(latest instanceof Observation.Held held)) {
            return View.VACANT;
        }
        if (!settings.isJudged()) {
            return View.led(held, true);
        }
        return isSeenSilent(held) ? View.VACANT : View.led(held, verified);
    }

    /** Whether a read has shown a full lease of silence: between two reads the holder may have renewed. */
    private boolean isSeenSilent(Observation.Held held) {
        return lookedAtNanos >= takeableAtNanos(held);
    }

    /** When {@link #view} changes by the passing of time alone; {@code Long.MAX_VALUE} for never. */
    long viewChangesAtNanos(long nowNanos) {
        return latest != null && staleAtNanos() > nowNanos ? staleAtNanos() : Long.MAX_VALUE;
    }

    /** From then on the store has been silent for a whole lease: the last leader may have been replaced. */
    private long staleAtNanos() {
        return heardAtNanos + settings.timing().leaseNanos();
    }
}
