package dev.mandate.consul;

import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RecordJson;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How records stand in keys.
 *
 * <ul>
 *   <li>By default the key holds the record, as JSON.
 *   <li>With {@code format=raw} it holds the leader's value and nothing else, for those who read it by a recipe; the record without the
 *       value stands in the key beside it, written in the same transaction. It counts only if both stand at one index: a stranger who
 *       writes the key makes it his own.
 * </ul>
 *
 * <p>Consul leaves a key at its index if a write changes nothing about it. Flags that differ from write to write see to it that both keys
 * move: they are the index that the write replaces.
 *
 * @param sameSession the id of a session in an object that is kept anyway, if there is one
 * @param foreignLease how long the lease of a session is that is not one of Mandate's, as far as it is known
 */
record Records(
        KeyTemplate keys,
        boolean isRaw,
        UnaryOperator<String> sameSession,
        Function<String, Optional<Duration>> foreignLease) {
    private static final int FOREIGN_CHARS_MAX = 1_024;

    String path(RecordKey key) {
        return keys.path(key);
    }

    /** Locks {@code key} by {@code session} for {@code record}, if it stands at {@code index}. */
    Txn write(RecordKey key, long index, String session, LeaderRecord record) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index);
        if (!isRaw) {
            return txn.lock(path, session, RecordJson.write(record), 0);
        }
        return txn.lock(path, session, record.value(), index)
                .set(keys.beside(key), RecordJson.write(record.withValue("")), index);
    }

    /** The same for a key that is locked already, without its lock: that of Consul which others count goes to 0. */
    Txn overwrite(RecordKey key, long index, LeaderRecord record) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index);
        return isRaw
                ? txn.set(path, record.value(), index)
                        .set(keys.beside(key), RecordJson.write(record.withValue("")), index)
                : txn.set(path, RecordJson.write(record), 0);
    }

    /** Gives {@code key} back, if it stands at {@code index}. */
    Txn free(RecordKey key, long index, String session) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index).unlock(path, session);
        return isRaw ? txn.delete(keys.beside(key)) : txn;
    }

    /** Removes the key of {@code key}, if it stands at {@code index}, and what is beside it. */
    Txn erase(RecordKey key, long index) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index).delete(path);
        return isRaw ? txn.delete(keys.beside(key)) : txn;
    }

    /** What was written, as a read would show it. */
    static Observation.Held held(RecordKey key, long index, String session, LeaderRecord record) {
        return Observation.held(key, new LockedAt(index, session), new LockedBy(session), index, record);
    }

    static Observation vacant(RecordKey key, long index) {
        return Observation.vacant(key, new FreeAt(index));
    }

    /**
     * What two keys show.
     *
     * @param main what stands at {@link #path}; null for nothing
     * @param beside what stands beside it; only looked at where values are raw
     */
    Observation observe(RecordKey key, @Nullable KvEntry main, @Nullable KvEntry beside) {
        if (main == null || !main.isLocked()) {
            return vacant(key, main == null ? 0 : main.modifyIndex());
        }
        String value = main.value();
        LeaderRecord record = record(main, value, beside);
        if (record != null) {
            return held(key, main.modifyIndex(), sameSession.apply(main.session()), record);
        }
        return Observation.foreign(
                key,
                new LockedAt(main.modifyIndex(), main.session()),
                new LockedBy(main.session()),
                main.modifyIndex(),
                value.length() > FOREIGN_CHARS_MAX ? value.substring(0, FOREIGN_CHARS_MAX) : value,
                foreignLease.apply(main.session()).orElse(null));
    }

    private @Nullable LeaderRecord record(KvEntry main, String value, @Nullable KvEntry beside) {
        try {
            if (!isRaw) {
                return RecordJson.read(value);
            }
            return beside == null || beside.modifyIndex() != main.modifyIndex()
                    ? null
                    : RecordJson.read(beside.value()).withValue(value);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Whether {@code path} stands beside a key, where that is of interest. */
    boolean isBeside(String path) {
        return isRaw && path.endsWith(keys.besideSuffix());
    }

    /** The path beside which {@code path} stands. */
    String besideWhich(String path) {
        return path.substring(0, path.length() - keys.besideSuffix().length());
    }

    String beside(String path) {
        return keys.beside(path);
    }
}
