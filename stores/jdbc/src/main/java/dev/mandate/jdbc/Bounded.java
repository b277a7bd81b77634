package dev.mandate.jdbc;

import java.sql.Connection;
import java.util.List;

/**
 * A connection, and the SQL to send before its next statement.
 *
 * @param prologue SQL statements to send before the next one, in the same message and transaction
 * @param parameters the parameters of the prologue
 */
record Bounded(Connection connection, List<String> prologue, List<Object> parameters) {
    /** Without a prologue. */
    static Bounded plain(Connection connection) {
        return new Bounded(connection, List.of(), List.of());
    }

    /** The prologue followed by {@code sql}. */
    String text(String sql) {
        StringBuilder text = new StringBuilder();
        prologue.forEach(statement -> text.append(statement).append("; "));
        return text.append(sql).toString();
    }
}
