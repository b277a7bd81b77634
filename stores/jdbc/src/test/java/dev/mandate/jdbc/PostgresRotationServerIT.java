package dev.mandate.jdbc;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Rotation;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A password that is changed while a leader leads: whoever is connected stays so, new connections need the new one. */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(PostgresServer.class)
class PostgresRotationServerIT {
    private static final Duration LEASE = Duration.ofSeconds(12);
    private static EmbeddedPostgres postgres;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() throws Exception {
        postgres = EmbeddedPostgres.builder().start();
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            Path rules = Path.of(Jdbc.first(connection, "SHOW hba_file", row -> row.getString(1))
                    .orElseThrow());
            Files.writeString(rules, "host all app all scram-sha-256\n" + Files.readString(rules));
            Jdbc.run(connection, "CREATE ROLE app LOGIN PASSWORD 'one'");
            Jdbc.run(connection, "GRANT ALL ON SCHEMA public TO app");
            Jdbc.run(connection, "SELECT pg_reload_conf()");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (postgres != null) {
            postgres.close();
        }
    }

    private static void run(String statement) throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            Jdbc.run(connection, statement);
        }
    }

    private static void disconnect() throws SQLException {
        run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
    }

    /** The password is changed in the file after the server was told, and then before. */
    @Test
    void aTermOutlivesRotatedPasswords() throws Exception {
        Path file = Rotation.write(folder.resolve("password"), "one\n");
        String url = "postgresql://app@localhost:" + postgres.getPort() + "/postgres?lease=12s&passwordFile=" + file;
        try (ElectionClient client = ElectionClient.connect(url);
                Leadership term = client.election("rotated").campaign("x")) {
            run("ALTER ROLE app PASSWORD 'two'");
            disconnect();
            Await.passing(Duration.ofSeconds(1));
            Rotation.write(file, "two\n");
            Rotation.isOutlivedBy(term, LEASE);

            Rotation.write(file, "three\n");
            disconnect();
            Await.passing(Duration.ofSeconds(2));
            run("ALTER ROLE app PASSWORD 'three'");
            disconnect();
            Rotation.isOutlivedBy(term, LEASE);
        }
    }
}
