package dev.mandate.jdbc;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A row per name that erased rows leave, so that their versions and terms never return. It has at least the largest
 * version and term ever erased there. {@code #registration/web} is the mark of {@code registration/web/7}; no key's
 * path begins with {@code #}.
 *
 * <p>A key without a row has the version of its mark, on which its first write is conditional: a write sent before an
 * erase is refused after it. A new row's version and term always exceed the mark's. So an erase raises the mark first
 * and then deletes the row, by separate statements. If only the first takes effect, some first writes are refused
 * needlessly. The first write that needs a missing mark creates it.
 */
final class Mark {
    private Mark() {}

    /** The path of the mark of {@code key}. */
    static String path(RecordKey key) {
        int depth = key.segments().size();
        return "#" + new RecordKey(key.space(), key.segments().subList(0, Math.max(0, depth - 1))).path();
    }

    /** Whether a row is a mark. */
    static boolean is(ResultSet row) throws SQLException {
        return row.getString(1).startsWith("#");
    }

    /** The name or space that a mark belongs to; empty if the row is not a mark. */
    static Optional<RecordKey> name(ResultSet row) throws SQLException {
        try {
            return is(row) ? Optional.of(RecordKey.parse(row.getString(1).substring(1))) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** A write that depends on the mark; empty if it changed nothing. */
    interface Write {
        Optional<WriteOutcome> run() throws SQLException;
    }

    /** Raises the mark, then deletes the row at {@code path}, if it is vacant at {@code version}. */
    static Optional<WriteOutcome> erase(Worker.Turn turn, Sql sql, RecordKey key, String path, long version)
            throws SQLException {
        Optional<WriteOutcome> raised = Jdbc.first(
                turn.nextWrite(),
                sql.raise(),
                row -> WriteOutcome.written(Observation.vacant(key, new VacantAt(row.getLong(1), false))),
                version,
                path,
                path(key),
                path,
                version);
        return raised.isPresent() && Jdbc.update(turn.nextWrite(), sql.erase(), path, version) == 1
                ? raised
                : Optional.empty();
    }
}
