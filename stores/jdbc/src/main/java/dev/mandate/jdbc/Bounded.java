package dev.mandate.jdbc;

import java.sql.Connection;
import java.util.List;

/**
 * A connection, and what the next statement on it is sent behind.
 *
 * @param prologue SQL statements that are sent with the next one, as one message and one transaction
 * @param parameters those of the prologue
 */
record Bounded(Connection connection, List<String> prologue, List<Object> parameters) {
    /** Nothing goes before it. */
    static Bounded plain(Connection connection) {
        return new Bounded(connection, List.of(), List.of());
    }

    /** The prologue and {@code sql}. */
    String text(String sql) {
        StringBuilder text = new StringBuilder();
        prologue.forEach(statement -> text.append(statement).append("; "));
        return text.append(sql).toString();
    }
}
