package dev.mandate.cli;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ServeServerIT} for SQLite, which is a file: there it is away while its table has another name. */
class ServeSqliteTest {
    @TempDir
    private Path folder;

    @Test
    void aTakeOverOnSqliteShows() throws Exception {
        Path file = folder.resolve("store.db");
        ServedTakeOver.watch(
                "sqlite:" + file + "?lease=3s",
                Duration.ofSeconds(3),
                () -> execute(file, "ALTER TABLE mandate_election RENAME TO gone"),
                () -> execute(file, "ALTER TABLE gone RENAME TO mandate_election"));
    }

    private static void execute(Path file, String sql) throws SQLException {
        try (Connection operator = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = operator.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 30000");
            statement.execute(sql);
        }
    }
}
