package dev.mandate.engine;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link FollowingMachine} remembers of one key. There may be thousands, so it keeps no whole record. */
final class Followed<T> {
    private static final long NEVER = Long.MIN_VALUE / 2;

    final RecordKey key;
    /** The value that was reported; null if it is known to be gone or dead. */
    @Nullable
    T value;

    private Basis basis;
    /** 0 while it is only known to be vacant. */
    private long term;

    private @Nullable Liveness liveness;
    private long leaseNanos;
    /** When {@link #liveness} was first seen; monotonic, so that a step of a wall clock never shortens a wait. */
    private long sinceNanos = NEVER;
    /** When the newest page that showed it was requested. */
    private long shownNanos = NEVER;
    /** When a hint last changed what is known of it. */
    private long hintedNanos = NEVER;

    /** The number of the newest listing that showed it held, and of the newest that showed it vacant. */
    private int shownIn;

    private int vacantIn;
    /** The previous listing did not show it, which may be chance. */
    boolean isMissed;
    /** A page has shown that it did not renew for its lease. */
    private boolean isSilent;
    /** Its liveness was seen to change: a record seen for the first time does not show that its holder is alive. */
    private boolean isVerified;
    /** It gave a sign of life within its term, so silence means something. */
    private boolean isRenewed;
    /** When its last sign of life was first seen. */
    private long aliveNanos = NEVER;
    /** When a page that did not show that sign yet was last requested. */
    private long notYetNanos = NEVER;
    /** A hint showed its last sign of life, so hints would have shown a later one. */
    private boolean isHintedAlive;
    /** How long the former holder had been silent when it was gone. */
    private Silence silence = Silence.UNSEEN;

    /** Shares the segments of {@code prefix}, which all keys below it have in common. */
    Followed(RecordKey prefix, RecordKey key, Basis basis) {
        List<String> segments = new ArrayList<>(prefix.segments());
        segments.addAll(key.segments().subList(segments.size(), key.segments().size()));
        this.key = new RecordKey(key.space(), segments);
        this.basis = basis;
    }

    // ---- what is compared ----

    /** Whether {@code held} surely came after what is known: it has a later term. */
    boolean isSurelyBefore(Observation.Held held) {
        return term > 0 && held.term() > term;
    }

    /** Whether {@code held} was surely there before what is known. */
    boolean isSurelyAfter(Observation.Held held) {
        return held.term() < term;
    }

    /** Whether {@code held} is already known, with its sign of life. */
    boolean isSame(Observation.Held held) {
        return isSameVersion(held) && held.liveness().equals(liveness);
    }

    /** Whether {@code held} is the known version. */
    boolean isSameVersion(Observation.Held held) {
        return held.basis().equals(basis);
    }

    /**
     * Whether a page requested then may be older than the hint that made this what it is: then it must not undo the
     * hint. Bases have no order, so only a later term, or the very same version, shows that the page is not older.
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

    /** A page that was requested then shows it. */
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

    /** Keeps what later ones are compared with. A new sign of life, or a later term, begins a new wait. */
    void know(Observation.Held held, boolean isHint, long ownLeaseNanos, long nowNanos) {
        boolean isSignOfLife = !held.liveness().equals(liveness) || isSurelyBefore(held);
        if (isSurelyBefore(held)) {
            ends(nowNanos);
        }
        // Both from one observation if possible, so that what a store puts into both, like a session's
        // name, is kept once.
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
     * A page requested at {@code askedNanos} has shown it again. Whether it is dead depends on its own lease, not on
     * the follower's, and only on pages that came while the store answered: while it does not, the living cannot renew
     * either. A lease shorter than the follower's may expire between two pages. So after missed pages the record gets
     * the follower's lease: then neither a short outage ends it, nor do occasional lost pages keep it alive.
     *
     * @param brokeNanos when a page last failed, or a listing began far too late
     * @param ownLeaseNanos the follower's lease
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

    /** Its holder is gone, or was replaced: keeps how long it had been silent. */
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

    /** A hint changed what is known of it. */
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
