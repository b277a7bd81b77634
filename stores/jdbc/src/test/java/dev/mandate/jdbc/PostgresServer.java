package dev.mandate.jdbc;

import dev.mandate.testkit.ServerFixture;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One real PostgreSQL for all tests of a run, as a parameter. Where it can't start, the tests that want it are skipped,
 * visibly.
 */
public final class PostgresServer implements BeforeEachCallback, ParameterResolver {

    /** A running server, or why there is none. */
    public static final class Server implements AutoCloseable {
        private final @Nullable EmbeddedPostgres postgres;
        private final String failure;

        private Server(@Nullable EmbeddedPostgres postgres, String failure) {
            this.postgres = postgres;
            this.failure = failure;
        }

        static Server start() {
            try {
                Server server = new Server(EmbeddedPostgres.builder().start(), "");
                try (Connection connection = server.connect()) {
                    fixture()
                            .found(Jdbc.first(connection, "SHOW server_version", row -> row.getString(1))
                                    .orElseThrow());
                }
                return server;
            } catch (IOException | SQLException | RuntimeException e) {
                return new Server(null, "its binaries can't be started: " + e);
            }
        }

        private static ServerFixture fixture() {
            return ServerFixture.named("postgresql");
        }

        void require() {
            if (postgres == null) {
                throw fixture().missing(failure);
            }
        }

        int port() {
            require();
            return postgres.getPort();
        }

        /** A connection of the superuser. */
        Connection connect() throws SQLException {
            return connect("postgres", "");
        }

        Connection connect(String user, String schema) throws SQLException {
            return DriverManager.getConnection("jdbc:postgresql://localhost:" + port() + "/postgres?user=" + user
                    + (schema.isEmpty() ? "" : "&currentSchema=" + schema));
        }

        @Override
        public void close() throws IOException {
            if (postgres != null) {
                postgres.close();
            }
        }
    }

    private static Server server(ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(PostgresServer.class))
                .computeIfAbsent(Server.class, key -> Server.start(), Server.class);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        server(context).require();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Server.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return server(context);
    }
}
