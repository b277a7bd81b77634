package dev.mandate.jdbc;

import dev.mandate.spi.StoreUrl;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.io.TempDir;

/** {@link SqlScenarios} on an SQLite file. */
class SqliteStoreTest extends SqlScenarios {
    @TempDir
    Path directory;

    @Override
    JdbcElectionStore open() {
        return (JdbcElectionStore)
                new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + directory.resolve("mandate.db")));
    }

    @Override
    Connection operator() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"));
    }
}
