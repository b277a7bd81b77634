package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long a followed list can be relied on: a lease after the store last confirmed it.
 *
 * <p>A complete listing confirms it. So do, while a watch works, the pages of the next listing, and reads of one
 * record that show what is known. A watch that is merely open and silent confirms nothing: its connection may be
 * dead. So a read is due when the last confirmation is nearly half a lease old. It costs a read of one record; the
 * list may have thousands.
 */
final class Freshness {
    private final LeaseTiming timing;
    private final Entropy entropy;
    private final LongSupplier requests;

    private long vouchedNanos = Long.MIN_VALUE / 2;
    private boolean isStale;

    /** The record to read: a random one of those that the last listing showed. Null if it showed none. */
    private @Nullable RecordKey sample;

    private long shown;
    private long pick;

    private long dueNanos = Long.MAX_VALUE;
    private long request = -1;
    private long askedNanos;
    private long answerNanos;

    Freshness(LeaseTiming timing, Entropy entropy, LongSupplier requests) {
        this.timing = timing;
        this.entropy = entropy;
        this.requests = requests;
    }

    // ---- what the store says ----

    /** At {@code nanos} the store was asked for what turned out to confirm the list. */
    void vouch(long nanos) {
        if (nanos > vouchedNanos) {
            vouchedNanos = nanos;
            long half = timing.leaseNanos() / 2;
            dueNanos = nanos + half - entropy.below(half / 10 + 1);
        }
    }

    /** A listing begins; so many records are known. */
    void listingBegins(int known) {
        shown = 0;
        pick = entropy.below(Math.max(1, known));
    }

    /** The listing showed this record. */
    void shows(RecordKey key) {
        if (shown++ <= pick) {
            sample = key;
        }
    }

    /** The listing is complete. */
    void listingEnds() {
        if (shown == 0) {
            sample = null;
        }
    }

    // ---- reads ----

    /** Whether a read is due. */
    boolean isDue(long nowNanos) {
        return request < 0 && nowNanos >= dueNanos;
    }

    /**
     * Requests the read that is due.
     *
     * @param awaitedNanos how long the answer is awaited
     * @return false if there is no record to read
     */
    boolean ask(List<Action> out, long awaitedNanos, long nowNanos) {
        dueNanos = Long.MAX_VALUE;
        RecordKey key = sample;
        if (key == null) {
            return false;
        }
        request = requests.getAsLong();
        askedNanos = nowNanos;
        answerNanos = awaitedNanos;
        out.add(new FollowingAction.Look(key, request, awaitedNanos));
        return true;
    }

    /** Whether {@code answered} is the read under way. */
    boolean awaits(long answered) {
        return request >= 0 && request == answered;
    }

    /** Whether the read under way is no longer awaited. */
    boolean isOverdue(long nowNanos) {
        return request >= 0 && nowNanos - askedNanos >= answerNanos;
    }

    /** The read under way is over. Returns when it was requested. */
    long ends() {
        request = -1;
        return askedNanos;
    }

    // ---- what follows from that ----

    boolean isStale() {
        return isStale;
    }

    /** From when the list is stale, unless the store confirms it before. */
    long staleAtNanos() {
        return vouchedNanos + timing.leaseNanos();
    }

    /** Reports that the list became stale, or is no longer stale. */
    void tell(List<Action> out, long nowNanos) {
        boolean was = isStale;
        isStale = nowNanos >= staleAtNanos();
        if (isStale != was) {
            out.add(new FollowingAction.Stale(isStale));
        }
    }

    /** When something is due here, if reads are wanted. */
    long wakeAtNanos(boolean areLooksWanted) {
        long look = request >= 0 ? askedNanos + answerNanos : areLooksWanted ? dueNanos : Long.MAX_VALUE;
        return isStale ? look : Math.min(look, staleAtNanos());
    }
}
