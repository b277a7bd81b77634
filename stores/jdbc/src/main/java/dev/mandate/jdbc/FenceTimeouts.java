package dev.mandate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The timeouts of guarded transactions. */
enum FenceTimeouts {
    POSTGRESQL {
        @Override
        void bound(Connection connection, Duration idle, Duration lock) throws SQLException {
            // LOCAL ends with the transaction, so that a pool gets its connection back as it was.
            Jdbc.run(
                    connection,
                    "SET LOCAL lock_timeout = " + lock.toMillis(),
                    "SET LOCAL idle_in_transaction_session_timeout = " + idle.toMillis());
            // Not current_setting: a SELECT would take a snapshot, and the locking statement needs a new one.
            if (Jdbc.query(connection, "SHOW synchronous_commit", row -> row.getString(1))
                    .contains("off")) {
                Jdbc.run(connection, "SET LOCAL synchronous_commit = on");
            }
        }
    },
    SQLITE {
        @Override
        List<String> restoring(Connection connection) throws SQLException {
            return Jdbc.restoring(connection, "busy_timeout");
        }

        @Override
        void bound(Connection connection, Duration idle, Duration lock) throws SQLException {
            Jdbc.run(connection, "PRAGMA busy_timeout = " + lock.toMillis());
        }
    },
    /** Plain SQL: unknown databases keep their own timeouts, except for the locking statement. */
    OTHER {
        @Override
        void bound(PreparedStatement locking, Duration lock) throws SQLException {
            locking.setQueryTimeout((int) Math.max(1, lock.toSeconds()));
        }
    };

    static FenceTimeouts of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
        return product.equals("postgresql") ? POSTGRESQL : product.equals("sqlite") ? SQLITE : OTHER;
    }

    /** The statements that restore the connection's present settings after the transaction. */
    List<String> restoring(Connection connection) throws SQLException {
        return List.of();
    }

    /** Sets the timeouts of a transaction. */
    void bound(Connection connection, Duration idle, Duration lock) throws SQLException {}

    /** Sets the timeout of the statement that waits for the lock. */
    void bound(PreparedStatement locking, Duration lock) throws SQLException {}
}
