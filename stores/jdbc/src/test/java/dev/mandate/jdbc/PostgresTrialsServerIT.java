package dev.mandate.jdbc;

import dev.mandate.testkit.CandidateTrials;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Candidate processes on a real PostgreSQL, killed, frozen and cut off. */
@ExtendWith(PostgresServer.class)
class PostgresTrialsServerIT extends CandidateTrials {
    private int port;

    @BeforeEach
    void remember(PostgresServer.Server server) {
        port = server.port();
    }

    @Override
    protected int port() {
        return port;
    }

    @Override
    protected String url(int through) {
        return "postgresql://postgres@127.0.0.1:" + through + "/postgres?lease=" + lease().toMillis() + "ms";
    }

    @Override
    protected Duration lease() {
        return Duration.ofSeconds(2);
    }
}
