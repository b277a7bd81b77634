package dev.mandate.jdbc;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs statements in one call each. */
final class Jdbc {
    private Jdbc() {}

    /** Converts the current row; never to null. */
    interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /**
     * All rows. The result is always read to its end: SQLite commits a {@code RETURNING} statement in the step that
     * finds no more rows, and only that step reports a failed commit.
     */
    static <T> List<T> query(Bounded bounded, String sql, Mapper<T> mapper, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(bounded, sql, parameters)) {
            executeAfterPrologue(bounded, statement);
            List<T> found = new ArrayList<>();
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    found.add(mapper.map(rows));
                }
            }
            return found;
        }
    }

    static <T> List<T> query(Connection connection, String sql, Mapper<T> mapper, Object... parameters)
            throws SQLException {
        return query(Bounded.plain(connection), sql, mapper, parameters);
    }

    private static PreparedStatement prepare(Bounded bounded, String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = bounded.connection().prepareStatement(bounded.text(sql));
        boolean isReady = false;
        try {
            bind(statement, 1, bounded.parameters().toArray());
            bind(statement, 1 + bounded.parameters().size(), parameters);
            isReady = true;
            return statement;
        } finally {
            if (!isReady) {
                statement.close();
            }
        }
    }

    /** Executes all; returns whether the statement after the prologue has rows. */
    private static boolean executeAfterPrologue(Bounded bounded, PreparedStatement statement) throws SQLException {
        boolean hasRows = statement.execute();
        for (int i = 0; i < bounded.prologue().size(); i++) {
            hasRows = statement.getMoreResults();
        }
        return hasRows;
    }

    /** The first row, if there is one. */
    static <T> Optional<T> first(Connection connection, String sql, Mapper<T> mapper, Object... parameters)
            throws SQLException {
        return first(Bounded.plain(connection), sql, mapper, parameters);
    }

    static <T> Optional<T> first(Bounded bounded, String sql, Mapper<T> mapper, Object... parameters)
            throws SQLException {
        List<T> rows = query(bounded, sql, mapper, parameters);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** Runs a write and returns how many rows it changed or returned. */
    static int update(Bounded bounded, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(bounded, sql, parameters)) {
            if (!executeAfterPrologue(bounded, statement)) {
                return statement.getUpdateCount();
            }
            int count = 0;
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    count++;
                }
            }
            return count;
        }
    }

    static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        return update(Bounded.plain(connection), sql, parameters);
    }

    /** Runs statements without results. */
    static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** The statements that restore the present values of these SQLite settings. */
    static List<String> restoring(Connection connection, String... pragmas) throws SQLException {
        List<String> restoring = new ArrayList<>();
        for (String pragma : pragmas) {
            first(connection, "PRAGMA " + pragma, row -> row.getLong(1))
                    .ifPresent(value -> restoring.add("PRAGMA " + pragma + " = " + value));
        }
        return restoring;
    }

    private static void bind(PreparedStatement statement, int first, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            Object parameter = parameters[i];
            if (parameter instanceof Long number) {
                statement.setLong(first + i, number);
            } else if (parameter instanceof Integer number) {
                statement.setInt(first + i, number);
            } else if (parameter instanceof Array array) {
                statement.setArray(first + i, array);
            } else {
                statement.setString(first + i, (String) parameter);
            }
        }
    }
}
