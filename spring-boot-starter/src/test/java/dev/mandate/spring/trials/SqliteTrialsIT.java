package dev.mandate.spring.trials;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;

/** Elections in a SQLite file. Whoever locks the file cuts all off. */
@Tag("long")
class SqliteTrialsIT extends TrialScenarios {
    @Override
    TrialNetwork network() {
        return new Locked("jdbc:sqlite:" + folder.resolve("mandate.db"));
    }

    @Override
    boolean hasOneWayEach() {
        return false;
    }

    /** Cut off by a lock on the file. */
    private static final class Locked implements TrialNetwork {
        private final String file;
        private Connection lock;

        Locked(String file) {
            this.file = file;
        }

        @Override
        public String url() {
            return file.substring("jdbc:".length());
        }

        @Override
        public void cut() throws SQLException {
            lock = DriverManager.getConnection(file);
            try (Statement statement = lock.createStatement()) {
                statement.execute("PRAGMA busy_timeout = 60000");
                statement.execute("BEGIN EXCLUSIVE");
            }
        }

        @Override
        public void heal() throws SQLException {
            if (lock != null) {
                lock.close();
                lock = null;
            }
        }

        @Override
        public void close() throws IOException {
            try {
                heal();
            } catch (SQLException e) {
                throw new IOException(e);
            }
        }
    }
}
