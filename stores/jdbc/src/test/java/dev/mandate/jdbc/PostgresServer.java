package dev.mandate.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One real PostgreSQL for all tests of a run, as a parameter. Where it can't start, the tests that want it are skipped
 * and that is written down, unless servers are demanded.
 */
public final class PostgresServer implements ParameterResolver, ExecutionCondition {
    private static final String NAME = "postgresql";

    /** A running server, or why there is none. */
    public static final class Server implements AutoCloseable {
        private final EmbeddedPostgres postgres;
        private final String failure;

        private Server(EmbeddedPostgres postgres, String failure) {
            this.postgres = postgres;
            this.failure = failure;
        }

        static Server start() {
            Server server;
            try {
                server = new Server(EmbeddedPostgres.builder().start(), null);
                server.report("found", server.version());
            } catch (IOException | SQLException | RuntimeException e) {
                server = new Server(null, String.valueOf(e));
                server.report("skipped", server.failure.replaceAll("\\s+", " "));
            }
            return server;
        }

        private String version() throws SQLException {
            try (Connection connection = connect()) {
                return Jdbc.first(connection, "SHOW server_version", row -> row.getString(1))
                        .orElseThrow();
            }
        }

        private void report(String state, String detail) {
            System.out.println("PostgreSQL is " + state + ": " + detail);
            try {
                Path directory = Path.of(System.getProperty("mandate.servers.dir", "target/servers"));
                Files.createDirectories(directory);
                Files.writeString(
                        directory.resolve(NAME + ".txt"),
                        NAME + "\t" + state + "\t" + detail + "\n",
                        StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        int port() {
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
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Server server = server(context);
        if (server.failure == null) {
            return ConditionEvaluationResult.enabled("PostgreSQL runs");
        }
        String demanded = System.getProperty(
                "mandate.servers.required", System.getenv().getOrDefault("MANDATE_SERVERS_REQUIRED", ""));
        if (List.of(demanded.toLowerCase(Locale.ROOT).split("[,\\s]+")).stream()
                .anyMatch(List.of(NAME, "all")::contains)) {
            throw new AssertionError("PostgreSQL is demanded and can't start: " + server.failure);
        }
        return ConditionEvaluationResult.disabled("PostgreSQL can't start: " + server.failure);
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
