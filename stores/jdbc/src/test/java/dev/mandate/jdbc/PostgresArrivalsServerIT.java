package dev.mandate.jdbc;

import dev.mandate.testkit.ArrivalTrials;
import dev.mandate.testkit.TrialStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Candidates that queue on a real PostgreSQL, killed, frozen and deleted by hand. */
@ExtendWith(PostgresServer.class)
class PostgresArrivalsServerIT extends ArrivalTrials {
    private PostgresServer.Server server;

    @BeforeEach
    void remember(PostgresServer.Server running) {
        server = running;
    }

    @Override
    protected TrialStore store() {
        return new PostgresTrialStore(server);
    }
}
