package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.TermEnd;
import dev.mandate.TermEnd.Cause;
import dev.mandate.engine.Silence;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How terms ended, as far as somebody can tell who only follows; the last one of each election, of those that ended
 * last. No clock of its own. Any thread.
 */
final class TermEnds {
    /** More elections than this may end at once, and some of their ends are not known then. */
    static final int MAX = 10_000;

    private static final long STILL = Long.MIN_VALUE;

    /**
     * @param endedNanos from when nobody is known to have led
     * @param followedNanos when somebody was seen to lead again; {@link #STILL} if nobody was
     */
    private record Ended(Leader former, Cause cause, long endedNanos, long followedNanos) {}

    /** By election; guarded by this. */
    private final Map<String, Ended> ends = new LinkedHashMap<>(16, 0.75f) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Ended> eldest) {
            return size() > MAX;
        }
    };

    /**
     * Why the term of {@code former} ended. A leader renews every third of its lease, so one that was silent for two
     * thirds has missed a renewal; and its lease was not over if it had renewed within that.
     */
    static Cause cause(Leader former, Silence silence) {
        if (former.asked()) {
            return Cause.ASKED;
        }
        if (isSilent(former, silence)) {
            return Cause.EXPIRED;
        }
        return silence.mostNanos() < former.lease().toNanos() ? Cause.RELEASED : Cause.UNKNOWN;
    }

    /**
     * For how long nobody had led when the term of {@code former} was seen to end, as far as is known: where observers
     * judge, the record of a dead leader stays until somebody replaces it.
     */
    static long vacantNanos(Leader former, Silence silence) {
        return isSilent(former, silence) ? silence.seenNanos() : 0;
    }

    private static boolean isSilent(Leader former, Silence silence) {
        long lease = former.lease().toNanos();
        return lease > 0 && silence.leastNanos() >= lease / 3 * 2;
    }

    /**
     * A change of who leads was seen.
     *
     * @param vacantNanos if a term ended, see {@link #vacantNanos}
     */
    synchronized void changed(
            @Nullable Leader before, @Nullable Leader after, Cause cause, long vacantNanos, long nowNanos) {
        if (before != null && (after == null || !before.token().equals(after.token()))) {
            ends.remove(before.election());
            ends.put(
                    before.election(),
                    new Ended(before, cause, nowNanos - vacantNanos, after == null ? STILL : nowNanos));
        } else if (before == null && after != null) {
            Ended known = ends.get(after.election());
            if (known != null && after.token().value() <= known.former.token().value()) {
                // It had not ended: a hint came late, or whoever was taken for dead gave a sign of life.
                ends.remove(after.election());
            } else if (known != null && known.followedNanos == STILL) {
                ends.put(after.election(), new Ended(known.former, known.cause, known.endedNanos, nowNanos));
            }
        }
    }

    /**
     * What is known of the end that {@code before} and {@code after}, which need not follow each other at once, tell
     * of; null if they tell of none.
     */
    synchronized @Nullable TermEnd between(@Nullable Leader before, @Nullable Leader after, long nowNanos) {
        if (before != null && after != null && before.token().equals(after.token())) {
            return null;
        }
        Leader either = before == null ? after : before;
        Ended known = either == null ? null : ends.get(either.election());
        if (known != null
                && (before == null
                        || known.former.token().value() >= before.token().value())) {
            long until = known.followedNanos == STILL ? nowNanos : known.followedNanos;
            return new TermEnd(known.former, known.cause, Duration.ofNanos(Math.max(0, until - known.endedNanos)));
        }
        return before == null ? null : new TermEnd(before, Cause.UNKNOWN, Duration.ZERO);
    }
}
