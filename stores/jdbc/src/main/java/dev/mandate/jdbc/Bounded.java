package dev.mandate.jdbc;

import java.sql.Connection;
import java.util.List;

/**
 * A connection, and what the next statement on it is sent behind.
 *
 * @param prologue an SQL statement that is sent with the next one, as one message and one transaction; empty for none
 * @param parameters those of the prologue
 */
record Bounded(Connection connection, String prologue, List<Object> parameters) {
    /** Nothing goes before it. */
    static Bounded plain(Connection connection) {
        return new Bounded(connection, "", List.of());
    }
}
