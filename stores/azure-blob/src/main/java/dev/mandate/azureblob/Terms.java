package dev.mandate.azureblob;

import dev.mandate.spi.RecordKey;
import dev.mandate.support.BoundedMap;
import java.util.Map;

/**
 * The largest term seen per key. After a blob was deleted, only the service's clock, with its resolution of a second,
 * determines the next term; a client that saw the last one takes a larger one. Thread-safe.
 */
final class Terms {
    /** Beyond this many keys, the least recently used are forgotten. */
    private static final int KEYS_MAX = 10_000;

    private final Map<RecordKey, Long> largest = new BoundedMap<>(KEYS_MAX);

    /** Notes a term; 0 means none. */
    synchronized void saw(RecordKey key, long term) {
        if (term > 0) {
            largest.merge(key, term, Math::max);
        }
    }

    /** The largest term seen; 0 for none. */
    synchronized long last(RecordKey key) {
        return largest.getOrDefault(key, 0L);
    }
}
