package dev.mandate.peers.node;

import dev.mandate.peers.register.Value;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The hints that this node gives its clients when its voter accepts a write. That alone proves nothing: the write may
 * never be chosen. A vacancy is reported at once, because taking it is conditional; so is another write of a known
 * term. For a new term the node first asks a majority, a little later, when that has probably accepted it, too.
 *
 * <p>Remembers one term for each held key, {@link #KEYS_MAX} at most.
 */
final class NodeHints {
    /** Beyond that many keys all terms are forgotten, which costs a read each. */
    static final int KEYS_MAX = 1 << 17;

    /** How many reads may wait; polls find what is beyond. */
    private static final int WAITING_MAX = 1 << 12;

    private final long delayNanos;
    private final Map<RecordKey, Long> terms = new HashMap<>();

    /** When to read, in the order of these times. */
    private final Map<RecordKey, Long> waiting = new LinkedHashMap<>();

    private boolean wanted;

    NodeHints(long delayNanos) {
        this.delayNanos = delayNanos;
    }

    /** Sets whether any client listens. */
    void want(boolean wanted) {
        this.wanted = wanted;
        if (!wanted) {
            terms.clear();
            waiting.clear();
        }
    }

    /** The voter accepted this: returns what to report now, or null. */
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

    /** A key to read now, or null. Returns each once. */
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

    /** A majority showed this: returns what to report. */
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

    /** When {@link #due} is needed; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.values().iterator().next();
    }
}
