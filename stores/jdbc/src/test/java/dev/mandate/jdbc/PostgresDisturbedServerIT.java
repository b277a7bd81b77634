package dev.mandate.jdbc;

import dev.mandate.testkit.ServerTrials;
import dev.mandate.testkit.TrialServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtendWith;

/** Candidate processes, while their PostgreSQL is frozen, killed and emptied. */
@ExtendWith(PostgresServer.class)
class PostgresDisturbedServerIT extends ServerTrials {
    @Override
    protected TrialServer start() throws IOException {
        return new PostgresTrialServer();
    }

    @Override
    protected String url(int port) {
        return PostgresTrialsServerIT.through(port);
    }

    @Override
    protected Duration lease() {
        return PostgresTrialsServerIT.LEASE;
    }
}
