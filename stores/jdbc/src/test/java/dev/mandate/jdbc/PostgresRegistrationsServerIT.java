package dev.mandate.jdbc;

import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.TrialStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Registered instances on a real PostgreSQL, killed, frozen, cut off and deleted by hand. */
@ExtendWith(PostgresServer.class)
class PostgresRegistrationsServerIT extends RegistrationTrials {
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
