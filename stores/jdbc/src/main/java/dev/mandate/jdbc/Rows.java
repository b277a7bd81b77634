package dev.mandate.jdbc;

import dev.mandate.spi.Excerpt;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts rows of {@link Sql#SELECT} to observations. */
final class Rows {
    private static final int SHOWN_MAX = 80;

    private Rows() {}

    /**
     * Converts the current row.
     *
     * <p>A row that no living session keeps is vacant. A missing session has ended: ids are never reused, so
     * it can't return.
     */
    static Observation observation(RecordKey key, ResultSet row) throws SQLException {
        long version = row.getLong(2);
        String session = row.getString(4);
        long sessionVersion = row.getLong(6);
        boolean isMissing = row.wasNull();
        if (session == null || isMissing || row.getInt(7) != 0) {
            return vacant(key, version);
        }
        String text = row.getString(5);
        LeaderRecord record = record(text);
        return record != null
                ? held(key, version, row.getLong(3), session, sessionVersion, record)
                : Observation.foreign(
                        key,
                        new HeldAt(version, session),
                        new SessionAlive(session, sessionVersion),
                        row.getLong(3),
                        shown(text),
                        Duration.ofMillis(row.getLong(8)));
    }

    /** Converts the current row under its own key; empty if its path is not one of ours. */
    static Optional<Observation> observation(ResultSet row) throws SQLException {
        RecordKey key;
        try {
            key = RecordKey.parse(row.getString(1));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return Optional.of(observation(key, row));
    }

    static Observation vacant(RecordKey key, long version) {
        return Observation.vacant(key, new VacantAt(version, true));
    }

    /** A key without a row, whose mark has {@code version}. */
    static Observation none(RecordKey key, long version) {
        return Observation.vacant(key, new VacantAt(version, false));
    }

    static boolean isNone(Observation seen) {
        return seen.basis() instanceof VacantAt at && !at.hasRow();
    }

    /** Converts the row of {@code key}, or of its mark. */
    static Observation observationOrMark(RecordKey key, ResultSet row) throws SQLException {
        return Mark.is(row) ? none(key, row.getLong(2)) : observation(key, row);
    }

    /** Combines both rows, either of which may be missing. */
    static Observation observation(RecordKey key, List<Observation> rowAndMark) {
        return rowAndMark.stream()
                .filter(seen -> !isNone(seen))
                .findFirst()
                .orElseGet(() -> rowAndMark.isEmpty() ? none(key, 0) : rowAndMark.get(0));
    }

    static Observation held(
            RecordKey key, long version, long term, String session, long sessionVersion, LeaderRecord record) {
        return Observation.held(
                key, new HeldAt(version, session), new SessionAlive(session, sessionVersion), term, record);
    }

    private static @Nullable LeaderRecord record(@Nullable String text) {
        try {
            return text == null ? null : RecordJson.read(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String shown(@Nullable String text) {
        return text == null ? "no record" : Excerpt.of(text, SHOWN_MAX);
    }
}
