package dev.mandate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** How a guarded transaction is bounded. */
enum FenceDialect {
    POSTGRESQL {
        @Override
        void bound(Connection connection, Duration idle, Duration lock) throws SQLException {
            // LOCAL: over with the transaction, so that a pool gets its connection back as it was.
            Jdbc.run(
                    connection,
                    "SET LOCAL lock_timeout = " + lock.toMillis(),
                    "SET LOCAL idle_in_transaction_session_timeout = " + idle.toMillis());
            // Not by current_setting: a SELECT would take the snapshot that the statement which locks needs to be new.
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
    /** Plain SQL; databases that are not known keep their own time-outs, but for that of the statement that locks. */
    OTHER {
        @Override
        void bound(PreparedStatement locking, Duration lock) throws SQLException {
            locking.setQueryTimeout((int) Math.max(1, lock.toSeconds()));
        }
    };

    static FenceDialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
        return product.equals("postgresql") ? POSTGRESQL : product.equals("sqlite") ? SQLITE : OTHER;
    }

    /** What sets the connection back, after the transaction, to what it is now. */
    List<String> restoring(Connection connection) throws SQLException {
        return List.of();
    }

    /** Sets the time-outs of a transaction. */
    void bound(Connection connection, Duration idle, Duration lock) throws SQLException {}

    /** Sets the time-out of the statement that waits for others. */
    void bound(PreparedStatement locking, Duration lock) throws SQLException {}
}
