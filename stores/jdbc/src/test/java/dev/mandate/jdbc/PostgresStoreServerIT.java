package dev.mandate.jdbc;

import dev.mandate.spi.StoreUrl;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link SqlScenarios} on a real PostgreSQL. */
@ExtendWith(PostgresServer.class)
class PostgresStoreServerIT extends SqlScenarios {
    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) throws SQLException {
        server = running;
        open().close();
        run("DELETE FROM mandate_election", "DELETE FROM mandate_session");
    }

    @Override
    JdbcElectionStore open() {
        return (JdbcElectionStore) new JdbcStoreProvider()
                .open(StoreUrl.parse("postgresql://postgres@localhost:" + server.port() + "/postgres"));
    }

    @Override
    Connection operator() throws SQLException {
        return server.connect();
    }

    @Override
    String tellAnything() {
        return "SELECT pg_notify(" + Sql.CHANNEL + ", '')";
    }
}
