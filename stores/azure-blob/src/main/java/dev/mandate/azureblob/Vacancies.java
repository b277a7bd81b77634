package dev.mandate.azureblob;

import dev.mandate.spi.RecordKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The versions at which blobs were seen without a lease. Whoever takes a lease changes nothing about the version until the record is written, so
 * a lease at such a version is one whose holder is about to write: what stands there is of the term before. Thread-safe.
 */
final class Vacancies {
    /** Of more keys than this the eldest are forgotten: then readers see the former record for a moment. */
    private static final int KEYS_MAX = 10_000;

    private final Map<RecordKey, String> etags = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, String> eldest) {
            return size() > KEYS_MAX;
        }
    };

    /** {@code key} was seen like this. */
    synchronized void saw(RecordKey key, Look look) {
        if (!look.isLeased() && !look.etag().isEmpty()) {
            etags.put(key, look.etag());
        } else if (!isTaken(key, look)) {
            etags.remove(key);
        }
    }

    /** Whether this shows a lease whose holder has not written its record yet. */
    synchronized boolean isTaken(RecordKey key, Look look) {
        return look.isLeased() && look.etag().equals(etags.get(key));
    }

    /** The lease at this version is one that somebody keeps, after all. */
    synchronized void forget(RecordKey key) {
        etags.remove(key);
    }
}
