package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.testkit.FaultStorm;
import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Real candidates on a real Consul, each behind a network of its own that fails at random. As Consul's leases are long,
 * somebody with a good network asks leaders to leave, so that there are many terms to go wrong.
 */
class ConsulStormServerIT {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    private static final Duration STORM = Duration.ofSeconds(40);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void twoNeverBelieveWhileNetworksFailAndOneLeadsAfterwards() throws Exception {
        String election =
                "storm" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
        int port = CONSUL.server().port("http");
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try (ElectionClient operator = through(port)) {
            timer.scheduleWithFixedDelay(() -> ask(operator, election), 3, 3, TimeUnit.SECONDS);

            FaultStorm.Outcome outcome = FaultStorm.around("127.0.0.1", port, ConsulStormServerIT::through)
                    .resigningWithin(Duration.ofSeconds(5))
                    .rage(election, STORM, PATIENCE);

            System.out.println("fault storm on Consul: " + outcome);
            assertThat(outcome.terms()).as("terms; with one, nothing was tried").isGreaterThan(1);
        } finally {
            timer.shutdownNow();
        }
    }

    private static void ask(ElectionClient operator, String election) {
        try {
            operator.election(election).evict();
        } catch (ElectionException e) {
            // It is a storm.
        }
    }

    private static ElectionClient through(int port) {
        return ElectionClient.connect(
                ConsulServer.url(port, "lease=10s&lock-delay=0s&coolDown=500ms&connectTimeout=0s"));
    }
}
