package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.CandidateTrials;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Candidate processes on a real PostgreSQL, killed, frozen, cut off and deposed by hand. */
@ExtendWith(PostgresServer.class)
class PostgresTrialsServerIT extends CandidateTrials {
    static final Duration LEASE = Duration.ofSeconds(2);
    private PostgresServer.Server server;

    static String through(int port) {
        return "postgresql://postgres@127.0.0.1:" + port + "/postgres?lease=" + LEASE.toSeconds() + "s";
    }

    @BeforeEach
    void remember(PostgresServer.Server running) {
        server = running;
    }

    @Override
    protected int port() {
        return server.port();
    }

    /** The session of whoever leads is deleted. */
    @Override
    protected void revoke(String election) throws SQLException {
        try (Connection connection = server.connect()) {
            int deleted = Jdbc.update(
                    connection,
                    "DELETE FROM mandate_session WHERE id = (SELECT session FROM mandate_election WHERE path = ?)",
                    RecordKey.election(election).path());
            assertThat(deleted).as("sessions that were deleted").isEqualTo(1);
        }
    }

    @Override
    protected String url(int port) {
        return through(port);
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }
}
