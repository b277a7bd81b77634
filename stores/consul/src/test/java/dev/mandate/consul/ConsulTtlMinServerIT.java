package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.Finding;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Servers that grant no short leases. */
class ConsulTtlMinServerIT {
    private static final Duration SHORT = Duration.ofSeconds(10);
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void aLeaseBelowTheServersLeastIsAFaultOfTheSetup() {
        try (ServerProcess consul = ConsulServer.dev(ServerProcess.of(ServerBinary.named(ConsulServer.NAME)))
                        .arguments("-hcl=session_ttl_min = \"30s\"")
                        .ready(server -> ConsulServer.put(
                                        server, "/v1/session/create", "{\"TTL\":\"30s\",\"Checks\":[]}")
                                .contains("ID"))
                        .start();
                ConsulElectionStore store = (ConsulElectionStore) ConsulServer.open(consul.port("http"), "")) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> StoreClient.answer(store.openSession(SHORT, StoreClient.call())))
                    .withMessageContainingAll("must be between", "session_ttl_min");
            assertThat(StoreClient.answer(store.openSession(LONG, StoreClient.call()))
                            .granted())
                    .isEqualTo(LONG);
            assertThat(leases(store, SHORT))
                    .singleElement()
                    .satisfies(
                            finding -> assertThat(finding.sentence()).contains("session_ttl_min is 30s", "10000 ms"));
            assertThat(leases(store, LONG)).isEmpty();
        }
    }

    private static List<Finding> leases(ConsulElectionStore store, Duration lease) {
        return StoreClient.answer(store.diagnose(lease, StoreClient.call())).stream()
                .filter(finding -> finding.subject().equals("lease"))
                .toList();
    }
}
