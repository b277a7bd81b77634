package dev.mandate.peers.node;

import dev.mandate.peers.register.Value;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this node's clients hear of what its voter accepted. One voter's word is no proof: what it accepted may never be
 * chosen. A vacancy is told at once, for whoever tries to take it does so on a condition; so is another write of a term that
 * is known. Of a new term a majority is asked first, a little later, when it has probably accepted it, too.
 *
 * <p>Remembers one term for each key that is held, {@link #KEYS_MAX} at most.
 */
final class News {
    /** Beyond that many keys all terms are forgotten, which costs a read each. */
    static final int KEYS_MAX = 1 << 17;

    /** So many reads wait at the most; what is beyond is found out by polls. */
    private static final int WAITING_MAX = 1 << 12;

    private final long delayNanos;
    private final Map<RecordKey, Long> terms = new HashMap<>();

    /** When to read, in the order of these times. */
    private final Map<RecordKey, Long> waiting = new LinkedHashMap<>();

    private boolean wanted;

    News(long delayNanos) {
        this.delayNanos = delayNanos;
    }

    /** Whether any client listens. */
    void want(boolean wanted) {
        this.wanted = wanted;
        if (!wanted) {
            terms.clear();
            waiting.clear();
        }
    }

    /** The voter accepted this: what to tell now, or null. */
    @Nullable
    Observation accepted(RecordKey key, Value value, long nowNanos) {
        Observation seen = Value.observation(key, value);
        if (!wanted) {
            return null;
        }
        if (!(seen instanceof Observation.Held held)) {
            terms.remove(key);
            return seen;
        }
        Long known = terms.get(key);
        if (known != null && known == held.term()) {
            return held;
        }
        if (waiting.size() < WAITING_MAX) {
            waiting.putIfAbsent(key, nowNanos + delayNanos);
        }
        return null;
    }

    /** A key to read now, or null. Once for each. */
    @Nullable
    RecordKey due(long nowNanos) {
        if (waiting.isEmpty()) {
            return null;
        }
        Map.Entry<RecordKey, Long> first = waiting.entrySet().iterator().next();
        if (nowNanos < first.getValue()) {
            return null;
        }
        waiting.remove(first.getKey());
        return first.getKey();
    }

    /** A majority showed this: what to tell. */
    Observation read(RecordKey key, @Nullable Value value) {
        Observation seen = Value.observation(key, value);
        if (seen instanceof Observation.Held held) {
            if (terms.size() >= KEYS_MAX) {
                terms.clear();
            }
            terms.put(key, held.term());
        }
        return seen;
    }

    /** When {@link #due} is wanted; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.values().iterator().next();
    }
}
