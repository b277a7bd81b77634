package dev.mandate.azureblob;

import dev.mandate.spi.RecordKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The largest terms that were seen. Where a blob was deleted, the service's clock alone would make the next one, and it tells only seconds: who
 * saw the last term takes a larger one. Thread-safe.
 */
final class Terms {
    /** Of more keys than this the eldest are forgotten. */
    private static final int KEYS_MAX = 10_000;

    private final Map<RecordKey, Long> largest = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, Long> eldest) {
            return size() > KEYS_MAX;
        }
    };

    /** {@code term} is 0 where there is none. */
    synchronized void saw(RecordKey key, long term) {
        if (term > 0) {
            largest.merge(key, term, Math::max);
        }
    }

    /** The largest seen; 0 for none. */
    synchronized long last(RecordKey key) {
        return largest.getOrDefault(key, 0L);
    }
}
