package dev.mandate.engine;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link FollowingMachine} remembers of one key. There may be thousands, so the record itself is not kept. */
final class Followed<T> {
    private static final long NEVER = Long.MIN_VALUE / 2;

    final RecordKey key;
    /** What is told of it; null if it is known to be gone or dead. */
    @Nullable
    T value;

    private Basis basis;
    /** 0 while only its vacancy is known. */
    private long term;

    private @Nullable Liveness liveness;
    private long leaseNanos;
    /** When {@link #liveness} was first seen; monotonic time only, so that no step of a wall clock shortens a wait. */
    private long sinceNanos = NEVER;
    /** When the newest page that showed it was asked for. */
    private long shownNanos = NEVER;
    /** When a hint last changed what is known of it. */
    private long hintedNanos = NEVER;

    /** The number of the newest listing that showed it held, and of the newest that showed it vacant. */
    private int shownIn;

    private int vacantIn;
    /** The listing before did not show it, which may be chance. */
    boolean isMissed;
    /** A page has shown that it did not renew for its lease. */
    private boolean isSilent;
    /** Its liveness was seen to change: the first sight of a record says nothing about its holder's being alive. */
    private boolean isVerified;
    /** A sign of life came within its term, so silence says something. */
    private boolean isRenewed;
    /** When its last sign of life was first seen. */
    private long aliveNanos = NEVER;
    /** When a page was last asked for that did not show that sign yet. */
    private long notYetNanos = NEVER;
    /** A hint told of it, so that hints would have told of a later one. */
    private boolean isHintedAlive;
    /** How long the former holder had been silent when that had gone. */
    private Silence silence = Silence.UNSEEN;

    /** The segments of {@code prefix}, below which it stands, are kept once for all. */
    Followed(RecordKey prefix, RecordKey key, Basis basis) {
        List<String> segments = new ArrayList<>(prefix.segments());
        segments.addAll(key.segments().subList(segments.size(), key.segments().size()));
        this.key = new RecordKey(key.space(), segments);
        this.basis = basis;
    }

    // ---- what is compared ----

    /** Whether {@code held} surely came after what is known: a later term does. */
    boolean isSurelyBefore(Observation.Held held) {
        return term > 0 && held.term() > term;
    }

    /** Whether {@code held} was surely there before what is known. */
    boolean isSurelyAfter(Observation.Held held) {
        return held.term() < term;
    }

    /** Whether {@code held} is what is known already, sign of life and all. */
    boolean isSame(Observation.Held held) {
        return isSameVersion(held) && held.liveness().equals(liveness);
    }

    /** Whether {@code held} says what is known already. */
    boolean isSameVersion(Observation.Held held) {
        return held.basis().equals(basis);
    }

    /**
     * Whether a page asked for then may be older than the hint that made this what it is: it may not undo that. Bases
     * are not ordered, so only a later term, or the very same version, shows that it is not.
     */
    boolean isOvertaking(Observation.Held held, long askedNanos) {
        return hintedNanos >= askedNanos && !isSurelyBefore(held) && !isSameVersion(held);
    }

    /** Whether a hint changed what is known of it at that time or later. */
    boolean isHintedSince(long nanos) {
        return hintedNanos >= nanos;
    }

    // ---- listings ----

    boolean isShownIn(int listing) {
        return shownIn == listing;
    }

    boolean isVacantIn(int listing) {
        return vacantIn == listing;
    }

    void shown(int listing) {
        shownIn = listing;
        isMissed = false;
    }

    /** A page that was asked for then shows it. */
    void shown(int listing, long askedNanos) {
        shown(listing);
        shownNanos = askedNanos;
    }

    void vacant(int listing) {
        vacantIn = listing;
    }

    boolean isSilent() {
        return isSilent;
    }

    boolean isVerified() {
        return isVerified;
    }

    // ---- what is learnt ----

    /**
     * Keeps what is to be compared later. A sign of life that is not the known one, or a later term, begins a new wait.
     */
    void know(Observation.Held held, boolean isHint, long ownLeaseNanos, long nowNanos) {
        boolean isSignOfLife = !held.liveness().equals(liveness) || isSurelyBefore(held);
        if (isSurelyBefore(held)) {
            ends(nowNanos);
        }
        // Of one observation where possible: what a store makes for both, as the name of a session, is then kept once.
        if (isSignOfLife || !isSameVersion(held)) {
            basis = held.basis();
        }
        boolean isSameTerm = held.term() == term;
        term = held.term();
        long stated = held.lease().map(LeaseTiming::boundedNanos).orElse(0L);
        leaseNanos = stated > 0 ? stated : ownLeaseNanos;
        if (isSignOfLife) {
            isVerified = liveness != null;
            isRenewed = isVerified && isSameTerm;
            liveness = held.liveness();
            sinceNanos = nowNanos;
            isSilent = false;
            aliveNanos = nowNanos;
            notYetNanos = isHint ? nowNanos : shownNanos;
            isHintedAlive = isHint;
        }
    }

    /**
     * A page asked for at {@code askedNanos} has shown it again. Whether it is dead is for its own lease to say, not
     * for that of whoever looks, and for looks that came while the store answered: those who live cannot renew either
     * while it does not. A lease that is shorter than the looker's may be over from one look to the next, so where
     * looks were missed it is granted the looker's: then neither a short outage ends it, nor do pages that are lost now
     * and then keep it alive.
     *
     * @param brokeNanos when a page last failed, or a look came far too late
     * @param ownLeaseNanos of whoever looks
     */
    void look(long askedNanos, long brokeNanos, long ownLeaseNanos, long nowNanos) {
        long patienceNanos = Math.max(leaseNanos, ownLeaseNanos);
        boolean wasAway = shownNanos <= brokeNanos && askedNanos - shownNanos >= patienceNanos / 2;
        if (wasAway && shownNanos != NEVER && value != null) {
            sinceNanos = nowNanos;
        }
        long deadAfterNanos = sinceNanos <= brokeNanos ? patienceNanos : leaseNanos;
        isSilent |= askedNanos - sinceNanos >= deadAfterNanos;
    }

    /** Its holder has gone, or another one stands there: how long that had been silent is kept. */
    void ends(long nowNanos) {
        long seenUntilNanos = isHintedAlive ? nowNanos : shownNanos;
        silence = isRenewed
                ? new Silence(
                        Math.max(0, seenUntilNanos - aliveNanos),
                        nowNanos - aliveNanos,
                        notYetNanos == NEVER ? Long.MAX_VALUE : nowNanos - notYetNanos)
                : Silence.UNSEEN;
    }

    /** See {@link FollowedChange#silence}. */
    Silence silence() {
        return silence;
    }

    /** A hint has made it what it is. */
    void hinted(long nowNanos) {
        hintedNanos = nowNanos;
    }

    /** Nobody holds it any more. */
    void vacated(Basis vacant, long nowNanos) {
        basis = vacant;
        liveness = null;
        isSilent = false;
        hintedNanos = nowNanos;
        value = null;
    }
}
