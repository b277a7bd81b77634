package dev.mandate.jdbc;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * What is kept of erased rows, so that nothing that was seen of their keys returns: a row beside those of each name, no
 * smaller than the largest version and term that were ever erased there. {@code #registration/web} is that of {@code
 * registration/web/7}; no key's path begins like this.
 *
 * <p>A key without a row stands at the version of its mark, and its first write is conditional on that: what was sent
 * before an erase is refused after it. Whatever becomes a row is larger than the mark. So the mark is raised first, by
 * a statement of its own, and the row deleted then: if only the first takes effect, some first writes are refused that
 * need not be. A mark that is missing is made by the first write that needs it.
 */
final class Mark {
    private Mark() {}

    /** Where the mark of {@code key} stands. */
    static String path(RecordKey key) {
        int depth = key.segments().size();
        return "#" + new RecordKey(key.space(), key.segments().subList(0, Math.max(0, depth - 1))).path();
    }

    /** Whether a row is a mark. */
    static boolean is(ResultSet row) throws SQLException {
        return row.getString(1).startsWith("#");
    }

    /** The name, or the space, whose mark a row is; empty if it is none. */
    static Optional<RecordKey> name(ResultSet row) throws SQLException {
        try {
            return is(row) ? Optional.of(RecordKey.parse(row.getString(1).substring(1))) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** A write that rests on the mark; empty if it changed nothing. */
    interface Write {
        Optional<WriteOutcome> run() throws SQLException;
    }

    /** Raises the mark, then deletes the row at {@code path}, if it is vacant at {@code version}. */
    static Optional<WriteOutcome> erase(Worker.Turn turn, Sql sql, RecordKey key, String path, long version)
            throws SQLException {
        Optional<WriteOutcome> raised = Jdbc.first(
                turn.nextWrite(),
                sql.raise(),
                row -> WriteOutcome.written(Rows.none(key, row.getLong(1))),
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
