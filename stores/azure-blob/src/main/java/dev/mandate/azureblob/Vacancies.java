package dev.mandate.azureblob;

import dev.mandate.spi.RecordKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The versions at which blobs were seen without a lease. Whoever takes a lease changes nothing about the version until the record is written, so
 * a lease at such a version is one whose holder is about to write: what stands there is of the term before. So is, most likely, the lease of a
 * blob without any record: one made just now. Where it turns out otherwise, that is remembered, too. Thread-safe.
 */
final class Vacancies {
    /** Of more keys than this the eldest are forgotten: then readers see the former record for a moment. */
    private static final int KEYS_MAX = 10_000;

    private static final class Versions extends LinkedHashMap<RecordKey, String> {
        private static final long serialVersionUID = 1L;

        Versions() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, String> eldest) {
            return size() > KEYS_MAX;
        }
    }

    private final Map<RecordKey, String> free = new Versions();

    /** At which somebody keeps a lease without writing a record. */
    private final Map<RecordKey, String> kept = new Versions();

    /** {@code key} was seen like this. */
    synchronized void saw(RecordKey key, Look look) {
        if (!look.isLeased() && !look.etag().isEmpty()) {
            free.put(key, look.etag());
            kept.remove(key);
        } else if (!isTaken(key, look)) {
            free.remove(key);
        }
    }

    /** Whether this shows a lease whose holder has not written its record yet. */
    synchronized boolean isTaken(RecordKey key, Look look) {
        boolean isNew = look.record().isEmpty() && !look.isForEver();
        return look.isLeased()
                && (isNew || look.etag().equals(free.get(key)))
                && !look.etag().equals(kept.get(key));
    }

    /** The lease at this version is one that somebody keeps, after all. */
    synchronized void isKept(RecordKey key, Look look) {
        free.remove(key);
        kept.put(key, look.etag());
    }
}
