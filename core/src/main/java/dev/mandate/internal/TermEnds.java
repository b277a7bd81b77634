package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.TermEnd;
import dev.mandate.TermEnd.Cause;
import dev.mandate.engine.Silence;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How terms ended, as far as a follower can tell: each election's last end, for the newest ends. Any thread. */
final class TermEnds {
    /** If more elections than this end at once, some of the ends are forgotten. */
    static final int MAX = 10_000;

    private static final long STILL = Long.MIN_VALUE;

    /**
     * @param endedNanos since when nobody is known to have led
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
     * Why the term of {@code former} ended. A leader renews every third of its lease, so silence for two thirds means
     * that it missed a renewal. If its silence was certainly shorter than its lease, that lease was not over.
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
     * For how long, as far as known, nobody had led when the term of {@code former} was seen to end: where observers
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
     * The leader was seen to change.
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
                // It had not ended: a hint came late, or a leader taken for dead was still alive.
                ends.remove(after.election());
            } else if (known != null && known.followedNanos == STILL) {
                ends.put(after.election(), new Ended(known.former, known.cause, known.endedNanos, nowNanos));
            }
        }
    }

    /** What is known of a term's end between {@code before} and {@code after}, adjacent or not; null if none ended. */
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
