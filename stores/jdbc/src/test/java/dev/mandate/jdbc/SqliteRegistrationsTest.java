package dev.mandate.jdbc;

import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.StoreWay;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Registered instances on a file, killed, frozen and deleted by hand. */
@Tag("long")
class SqliteRegistrationsTest extends RegistrationTrials {
    private static final Duration LEASE = Duration.ofSeconds(2);

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("mandate.db");
    }

    private Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        Jdbc.run(connection, "PRAGMA busy_timeout = 20000");
        return connection;
    }

    @Override
    protected String url() {
        return "sqlite:" + file() + "?lease=" + LEASE.toSeconds() + "s";
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    /** Nothing lies between a client and its file. */
    @Override
    protected Optional<StoreWay> way() {
        return Optional.empty();
    }

    /** Whoever may write the file may write all of it. */
    @Override
    protected Optional<Restricted> restricted() {
        return Optional.empty();
    }

    @Override
    protected void delete(String service, String id) throws SQLException {
        try (Connection connection = connect()) {
            Jdbc.update(
                    connection,
                    "DELETE FROM mandate_election WHERE path = ?",
                    RecordKey.registration(service, id).path());
        }
    }

    @Override
    protected List<String> left(String service) throws SQLException {
        try (Connection connection = connect()) {
            return Jdbc.query(
                    connection,
                    "SELECT path FROM mandate_election WHERE path LIKE ?",
                    row -> row.getString(1),
                    RecordKey.registrations(service).path() + "/%");
        }
    }
}
