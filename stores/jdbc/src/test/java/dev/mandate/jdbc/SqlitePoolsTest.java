package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Through connections of pools that users bring, the same holds as by URL. */
class SqlitePoolsTest {
    @TempDir
    Path folder;

    private static final List<String> SETTINGS = List.of("PRAGMA busy_timeout = 1234", "PRAGMA synchronous = EXTRA");

    private DataSource pool(Pools kind, int connections, List<String> settings) {
        return kind.open("jdbc:sqlite:" + folder.resolve("pooled.db"), connections, settings);
    }

    private static List<Long> settings(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            long autoCommit = connection.getAutoCommit() ? 1 : 0;
            return List.of(
                    autoCommit,
                    Jdbc.first(connection, "PRAGMA busy_timeout", row -> row.getLong(1))
                            .orElseThrow(),
                    Jdbc.first(connection, "PRAGMA synchronous", row -> row.getLong(1))
                            .orElseThrow());
        }
    }

    @ParameterizedTest
    @EnumSource(Pools.class)
    void aUsersConnectionGoesBackAsItCame(Pools kind) throws Exception {
        // Hikari runs one statement on each new connection; in a transaction the second one is refused.
        for (String setting : kind == Pools.HIKARI_TRANSACTIONS ? SETTINGS.subList(0, 1) : SETTINGS) {
            DataSource pool = pool(kind, 1, List.of(setting));
            try {
                List<Long> before = settings(pool);
                try (StoreClient client = new StoreClient(JdbcElectionStore.open(pool, Dialect.SQLITE))) {
                    RecordKey key = RecordKey.election("pooled");
                    client.release(client.lead(key));
                    client.renew();
                }

                assertThat(before).containsAnyOf(1234L, 3L);
                assertThat(settings(pool)).isEqualTo(before);
            } finally {
                Pools.close(pool);
            }
        }
    }

    /** Connections that the pool kept are to a file that nobody else finds any more. */
    @Test
    void aFileThatWasReplacedIsLedByNobody() throws Exception {
        DataSource pool = pool(Pools.HIKARI, 3, List.of());
        RecordKey key = RecordKey.election("replaced");
        try (StoreClient holder = new StoreClient(JdbcElectionStore.open(pool, Dialect.SQLITE))) {
            holder.lead(key);
            for (String suffix : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(folder.resolve("pooled.db" + suffix));
            }

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(holder::renew)
                    .withMessageContaining("deleted or replaced while it was in use");

            DataSource fresh = pool(Pools.HIKARI, 1, List.of());
            try (StoreClient other = new StoreClient(JdbcElectionStore.open(fresh, Dialect.SQLITE))) {
                other.lead(key);
                assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(holder::renew)
                        .withMessageContaining("open the store with a new one");
                assertThat(other.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            } finally {
                Pools.close(fresh);
            }
        } finally {
            Pools.close(pool);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs4", "9p", "virtiofs", "fuse.sshfs", "cifs"})
    void fileSystemsThatOthersMayShareAreKnown(String type) {
        assertThat(SqliteSource.isRemote(type)).isTrue();
        assertThat(SqliteSource.isRemote("ext4")).isFalse();
    }
}
