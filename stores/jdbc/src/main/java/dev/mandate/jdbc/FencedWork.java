package dev.mandate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Statements that may run only under a token that is not stale.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface FencedWork<T> {
    /**
     * Runs inside a transaction that the fence began and will commit.
     *
     * @param connection refuses {@code commit}, {@code rollback}, {@code setAutoCommit}, {@code close} and
     *     {@code abort}, which belong to the fence. Savepoints are allowed. Do not use it after this
     *     method has returned
     * @throws SQLException rolls everything back, as does any other exception
     */
    T run(Connection connection) throws SQLException;
}
