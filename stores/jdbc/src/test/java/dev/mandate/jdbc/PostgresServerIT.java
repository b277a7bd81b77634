package dev.mandate.jdbc;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreConformance;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(PostgresServer.class)
class PostgresServerIT extends StoreConformance {
    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) throws Exception {
        server = running;
    }

    /** Where the suite connects to. */
    int port() {
        return server.port();
    }

    @Override
    protected ElectionStore open() {
        return new JdbcStoreProvider().open(StoreUrl.parse("postgresql://postgres@localhost:" + port() + "/postgres"));
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.of(() -> new JdbcStoreProvider()
                .open(StoreUrl.parse("postgresql://postgres@localhost:" + server.port() + "/no_such_database")));
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.of(
                "postgresql:db", List.of("names no host"),
                "postgresql://host", List.of("names no database"),
                "postgresql://host:port/db", List.of("'host:port'"),
                "postgresql://host:99999/db", List.of("65535"),
                "postgres://u:p@h/db?passwordEnv=X", List.of("passwordEnv"),
                "postgresql://h/db?sslmode=maybe", List.of("'sslmode'", "'maybe'", "verify-full"),
                "postgresql://h/db?prepareThreshold=x", List.of("'prepareThreshold'"),
                "jdbc:postgresql://h", List.of("names no database"));
    }

    @Override
    protected boolean writeForeign(RecordKey key, String text) throws Exception {
        try (Connection connection = server.connect()) {
            Foreign.write(connection, key, text);
        }
        return true;
    }
}
