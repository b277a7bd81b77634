package dev.mandate.camel;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files consumed by the leader of three processes on SQLite. Cut off are all of them: by a lock on the file. */
class SqliteFilesIT {
    @TempDir
    private Path temp;

    /** A file that a test locks. */
    private static final class LockedFile implements FileTrials.TrialPlace, AutoCloseable {
        private final Path file;
        private final Connection operator;

        LockedFile(Path file) throws SQLException {
            this.file = file;
            this.operator = DriverManager.getConnection("jdbc:sqlite:" + file);
        }

        @Override
        public String url(int node) {
            return "sqlite:" + file + "?lease=8s&drainTimeout=2s";
        }

        @Override
        public void cutOff(int node) throws SQLException {
            execute("PRAGMA busy_timeout = 20000");
            execute("BEGIN EXCLUSIVE");
        }

        @Override
        public void heal(int node) throws SQLException {
            execute("ROLLBACK");
        }

        private void execute(String sql) throws SQLException {
            try (Statement statement = operator.createStatement()) {
                statement.execute(sql);
            }
        }

        @Override
        public void close() throws SQLException {
            operator.close();
        }
    }

    /** A frozen leader goes on with its file when it is thawed, so each file begins with a look at the clock. */
    @Test
    void aGuardedPolicyConsumesEachFileOnce() throws Exception {
        try (LockedFile place = new LockedFile(temp.resolve("mandate.db"));
                FileTrials trials = new FileTrials("guarded", place, temp)) {
            trials.run(Integer.getInteger("mandate.camel.trials", 5), List.of(FileTrials.Fault.values()));
            System.out.println("SQLite, guarded: " + trials.summary());
        }
    }
}
