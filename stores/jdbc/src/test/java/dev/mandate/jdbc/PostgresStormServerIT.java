package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.testkit.FaultStorm;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Real candidates on a real database, each behind a network of its own that fails at random. */
@ExtendWith(PostgresServer.class)
class PostgresStormServerIT {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration STORM = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Test
    void twoNeverBelieveWhileNetworksFailAndOneLeadsAfterwards(PostgresServer.Server server) throws Exception {
        FaultStorm.Outcome outcome = FaultStorm.around("localhost", server.port(), PostgresStormServerIT::through)
                .resigningWithin(Duration.ofSeconds(5))
                .rage(SqlFixture.key("storm").name(), STORM, PATIENCE);

        System.out.println("fault storm on PostgreSQL: " + outcome);
        assertThat(outcome.terms()).as("terms; with one, nothing was tried").isGreaterThan(1);
    }

    private static ElectionClient through(int port) {
        return ElectionClient.builder("postgresql://postgres@localhost:" + port + "/postgres")
                .lease(LEASE)
                .connect();
    }
}
