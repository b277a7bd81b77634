package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Hint;
import dev.mandate.spi.StoreUrl;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

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

    @Test
    void aUsersConnectionGoesBackAsItCame() throws Exception {
        SQLiteDataSource file = new SQLiteDataSource();
        file.setUrl("jdbc:sqlite:" + directory.resolve("mandate.db"));
        KeptConnections pool = new KeptConnections(file);
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();

        try (Client client = new Client(JdbcElectionStore.open(pool, Dialect.SQLITE))) {
            client.lead(key("pooled"));
            watchReady(client, hints).close();
        }

        assertThat(pool.returned()).hasSize(2);
        for (Connection connection : pool.returned()) {
            assertThat(Jdbc.query(connection, "PRAGMA busy_timeout", row -> row.getInt(1)))
                    .containsExactly(3000);
            assertThat(Jdbc.query(connection, "PRAGMA synchronous", row -> row.getInt(1)))
                    .containsExactly(2);
            connection.close();
        }
    }
}
