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
 * The keys and values of records.
 *
 * <ul>
 *   <li>By default the key holds the record, as JSON.
 *   <li>With {@code format=raw} the key holds only the leader's value, for readers that follow a recipe. The key beside
 *       it holds the record without the value, written in the same transaction. The record counts only if both have the
 *       same index: a write by another program makes the key foreign.
 * </ul>
 *
 * <p>A write that changes nothing does not change a key's index in Consul. So each write has different flags, the index
 * that it replaces, to make both keys move.
 *
 * @param sameSession replaces a session id by an equal string that is kept anyway, if there is one
 * @param foreignLease the lease of a foreign session, if known
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

    /** Locks {@code key} by {@code session} for {@code record}, if its index is {@code index}. */
    Txn write(RecordKey key, long index, String session, LeaderRecord record) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index);
        if (!isRaw) {
            return txn.lock(path, session, RecordJson.write(record), 0);
        }
        return txn.lock(path, session, record.value(), index)
                .set(keys.beside(key), RecordJson.write(record.withValue("")), index);
    }

    /** The same without locking, for a key already locked. Resets Consul's LockIndex, which others may use, to 0. */
    Txn overwrite(RecordKey key, long index, LeaderRecord record) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index);
        return isRaw
                ? txn.set(path, record.value(), index)
                        .set(keys.beside(key), RecordJson.write(record.withValue("")), index)
                : txn.set(path, RecordJson.write(record), 0);
    }

    /** Unlocks {@code key}, if its index is {@code index}. */
    Txn free(RecordKey key, long index, String session) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index).unlock(path, session);
        return isRaw ? txn.delete(keys.beside(key)) : txn;
    }

    /** Deletes {@code key} and the one beside it, if its index is {@code index}. */
    Txn erase(RecordKey key, long index) {
        String path = keys.path(key);
        Txn txn = new Txn().expect(path, index).delete(path);
        return isRaw ? txn.delete(keys.beside(key)) : txn;
    }

    /** A written record, as a read would show it. */
    static Observation.Held held(RecordKey key, long index, String session, LeaderRecord record) {
        return Observation.held(key, new LockedAt(index, session), new LockedBy(session), index, record);
    }

    static Observation vacant(RecordKey key, long index) {
        return Observation.vacant(key, new FreeAt(index));
    }

    /**
     * Interprets both keys.
     *
     * @param main the entry at {@link #path}; null if there is none
     * @param beside the entry beside it; used only in raw format
     */
    Observation observe(RecordKey key, @Nullable KvEntry main, @Nullable KvEntry beside) {
        if (main == null || !main.isLocked()) {
            return vacant(key, main == null ? 0 : main.modifyIndex());
        }
        String value = main.value();
        Optional<LeaderRecord> record = record(main, value, beside);
        if (record.isPresent()) {
            return held(key, main.modifyIndex(), sameSession.apply(main.session()), record.get());
        }
        return Observation.foreign(
                key,
                new LockedAt(main.modifyIndex(), main.session()),
                new LockedBy(main.session()),
                main.modifyIndex(),
                value.length() > FOREIGN_CHARS_MAX ? value.substring(0, FOREIGN_CHARS_MAX) : value,
                foreignLease.apply(main.session()).orElse(null));
    }

    private Optional<LeaderRecord> record(KvEntry main, String value, @Nullable KvEntry beside) {
        if (!isRaw) {
            return RecordJson.find(value);
        }
        return beside == null || beside.modifyIndex() != main.modifyIndex()
                ? Optional.empty()
                : RecordJson.find(beside.value()).map(record -> record.withValue(value));
    }

    /** Whether {@code path} is that of a key beside another; false unless in raw format. */
    boolean isBeside(String path) {
        return isRaw && path.endsWith(keys.besideSuffix());
    }

    String beside(String path) {
        return keys.beside(path);
    }
}
