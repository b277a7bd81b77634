package dev.mandate.engine;

import dev.mandate.Settle;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What a machine has seen of its key, and when: the material for "may I take it?" and for what observers are told. Time here is monotonic
 * only: a step of the wall clock never shortens a wait.
 */
final class Sightings {
    private final ElectionSettings settings;
    private @Nullable Observation latest;
    /** How long the latest holder may be silent before it is taken for dead; {@code Long.MAX_VALUE} for ever. */
    private long patienceNanos;

    /** A vacancy that may be older than what is known: good for a try, which is conditional, and for no word to observers. */
    private Observation.@Nullable Vacant unproven;

    private boolean outdated;
    private Observation.@Nullable Held former;
    private @Nullable Liveness liveness;
    private long livenessSinceNanos;
    /** When a hint last showed another sign of life than the one that was known. */
    private long livenessHintedAtNanos = Long.MIN_VALUE;

    /** The sign of life that the last answer showed, and what was known of it then. */
    private @Nullable Liveness answered;

    private long answeredSinceNanos;
    private boolean answeredVerified;
    /** When the newest look that showed {@link #latest} was asked for. */
    private long lookedAtNanos;

    private boolean verified;
    private boolean heard;
    private long heardAtNanos;
    private boolean hinted;
    private long hintedAtNanos;
    private long highestTerm;
    /** As {@link #highestTerm}, with the live attempt's. */
    private long newestTerm;

    Sightings(ElectionSettings settings) {
        this.settings = settings;
    }

    /**
     * A linearizable answer to what was asked at {@code askedAtNanos} showed this. A hint that came since may have shown something later: then an
     * answer that shows no later term says that the store is alive, and nothing else.
     *
     * @return false if a hint has overtaken it like that
     */
    boolean saw(Observation observation, @Nullable Id live, long askedAtNanos, long nowNanos) {
        heard = true;
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
     * What two answers show stood there from the one to the other: a hint that showed another sign of life before the
     * second was asked for was late, and the wait goes on as if it had not come. What a hint showed after that may be
     * newer than the answer, so it counts.
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
     * A hint showed this. Hints may be late and out of order, so only a term that surely follows what is known is news by itself. Whether it takes
     * a look to know what to make of it: a vacancy, a stranger's record, or another record of the term that is known may be older than what is
     * known.
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
        // The vacancy may be gone: whoever asked for it would probably be refused.
        outdated |= !(latest instanceof Observation.Held);
        return true;
    }

    /**
     * Whether a record surely came to stand after what is known. A larger term came after the one that is known; a vacancy that is known lay between
     * the two, unless a take-over leaves none, as where observers judge.
     */
    private boolean isSurelyLater(Observation.Held held) {
        boolean vacant = latest instanceof Observation.Vacant && settings.expiry() != Expiry.OBSERVER_JUDGES;
        boolean led = latest instanceof Observation.Held before && !before.isForeign();
        return newestTerm > 0 && held.term() > newestTerm && (vacant || led);
    }

    /** Whether it tells observers nothing that is not known. */
    private boolean isKnown(Observation.Held held) {
        return latest instanceof Observation.Held before
                && View.led(before, true).tellsTheSameAs(View.led(held, true));
    }

    /** Whether it tells observers what is not known yet, and what whoever changed it had to write. */
    boolean isNews(Observation seen) {
        return seen instanceof Observation.Held held ? !isKnown(held) : !(latest instanceof Observation.Vacant);
    }

    private void suppose(Observation.Vacant vacant) {
        unproven = vacant;
        outdated = false;
    }

    private void note(Observation observation, @Nullable Id live, long nowNanos) {
        if (observation != latest) {
            latest = observation;
            patienceNanos = observation instanceof Observation.Held held ? patienceNanos(held) : 0;
        }
        unproven = null;
        outdated = false;
        if (!(observation instanceof Observation.Held held)) {
            return;
        }
        newestTerm = Math.max(newestTerm, held.term());
        if (!held.isAttempt(live)) {
            highestTerm = Math.max(highestTerm, held.term());
            former = held;
        }
        if (!held.liveness().equals(liveness)) {
            // The first sight of a holder says nothing about its being alive; any change after that does.
            verified = liveness != null;
            liveness = held.liveness();
            livenessSinceNanos = nowNanos;
        }
    }

    /** This candidate leads: whoever led before need not be settled for any more. */
    void led(long term) {
        former = null;
        highestTerm = Math.max(highestTerm, term);
    }

    /** The largest term seen under any other attempt than the live one. */
    long highestTerm() {
        return highestTerm;
    }

    /** The newest observation, if any. */
    @Nullable
    Observation latest() {
        return latest;
    }

    /** A write on what is known was refused, and what stands there instead was not said: nothing is asked for before another look. */
    void outdated() {
        outdated = true;
    }

    /** Whether it takes a look to know what stands there. */
    boolean isOutdated() {
        return outdated;
    }

    /** The term of the record that was seen last; 0 for none. */
    long leaderTerm() {
        return latest instanceof Observation.Held held ? Math.max(0, held.term()) : 0;
    }

    /** A basis on which the lead may be asked for now, or null. */
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

    /** A full lease of the holder's, as it stands in its record, counted from when its last sign of life was first seen here. */
    private long takeableAtNanos(Observation.Held held) {
        return patienceNanos == Long.MAX_VALUE ? Long.MAX_VALUE : livenessSinceNanos + patienceNanos;
    }

    private long patienceNanos(Observation.Held held) {
        boolean ours = !held.isForeign() && held.record().incarnation().equals(settings.incarnation());
        if (!settings.isJudged() || ours) {
            // A record of our own is released, not outlived: taking it would end the session we stand with.
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
        return settings.settleForeignNanos() > 0
                ? settings.settleForeignNanos()
                : Math.max(settings.timing().leaseNanos(), leaseNanos(foreign));
    }

    /** What observers should be told now. */
    View view(long nowNanos) {
        if (!heard || nowNanos >= staleAtNanos()) {
            return View.UNKNOWN;
        }
        if (!(latest instanceof Observation.Held held)) {
            return latest == null ? View.UNKNOWN : View.VACANT;
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
        return heard && staleAtNanos() > nowNanos ? staleAtNanos() : Long.MAX_VALUE;
    }

    /** From here on it has been silent for a whole lease: whoever led may have been replaced. */
    private long staleAtNanos() {
        return heardAtNanos + settings.timing().leaseNanos();
    }
}
