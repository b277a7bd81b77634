package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** {@link FenceScenarios} on an SQLite file of the user's. */
class SqliteFenceTest extends FenceScenarios {
    @TempDir
    Path directory;

    @Override
    DataSource database() {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
        SQLiteDataSource dataSource = new SQLiteDataSource(config);
        dataSource.setUrl("jdbc:sqlite:" + directory.resolve("user.db"));
        return dataSource;
    }

    @Override
    String numbered() {
        return "INTEGER PRIMARY KEY AUTOINCREMENT";
    }

    /** SQLite can't throw out whoever stands still in a transaction: the newer one fails in time, and may try again. */
    @Test
    void aTransactionThatStandsStillMakesTheNewerOneFailInTime() throws Exception {
        SqlFence fence = SqlFence.of(database(), "r").withTimeouts(Duration.ofMillis(100), Duration.ofMillis(300));
        fence.advance(token(5));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread old = new Thread(() -> {
            try {
                fence.call(token(5), connection -> {
                    inside.countDown();
                    await(goOn);
                    return book(connection, 5);
                });
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        old.start();
        inside.await();

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> fence.advance(token(6)))
                .withMessageContaining("SQLITE_BUSY");
        goOn.countDown();
        old.join();
        fence.advance(token(6));

        assertThat(booked()).containsExactly(5L);
    }

    @Test
    void aConnectionGoesBackAsItCame() throws Exception {
        KeptConnections pool = new KeptConnections(database());
        SqlFence fence = SqlFence.of(pool, "r");
        fence.advance(token(5));

        fence.run(token(5), connection -> book(connection, 5));

        assertThat(pool.returned()).hasSize(4);
        for (Connection connection : pool.returned()) {
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(Jdbc.query(connection, "PRAGMA busy_timeout", row -> row.getInt(1)))
                    .containsExactly(3000);
            connection.close();
        }
    }
}
