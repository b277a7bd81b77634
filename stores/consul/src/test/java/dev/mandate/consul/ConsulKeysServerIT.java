package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionClient;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Names stand in keys that every version takes, and a key of the user's own that one does not take is a fault at once.
 */
@Execution(ExecutionMode.CONCURRENT)
class ConsulKeysServerIT {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    private static final List<String> NAMES = List.of(
            "plain",
            "a b",
            " a ",
            "Straße/links",
            ".",
            "..",
            "...",
            "a..b",
            ".a.",
            "a.b",
            "x:y@z~w+v",
            "..%2f..%2Fetc",
            "%2e%2e",
            "=41",
            "=mandate",
            "a=mandate",
            "?q&r=s",
            "a,b",
            "\\\"{}#<>|^`");

    private static int port() {
        return CONSUL.server().port("http");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock-delay=0s", "lock-delay=0s&format=raw"})
    void everyNameHasAKeyThatAllVersionsTake(String parameters) throws Exception {
        String below = "keys" + System.nanoTime() + "/{election}";
        try (StrictFront front = new StrictFront(port(), StrictFront.Version.V1_21_5, StrictFront.Version.V1_22);
                StoreClient client = new StoreClient(ConsulServer.open(front.port(), parameters + "&key=" + below))) {
            for (String name : NAMES) {
                client.lead(RecordKey.election(name));
                assertThat(client.readHeld(RecordKey.election(name)).record().value())
                        .as(name)
                        .isEqualTo("value");
            }

            Page<Observation> page =
                    StoreClient.answer(client.store().list(RecordKey.elections(), Cursor.START, StoreClient.call()));

            assertThat(page.items()).extracting(seen -> seen.key().name()).containsExactlyInAnyOrderElementsOf(NAMES);
            assertThat(front.refusals()).isZero();
        }
    }

    /** Said at once, when a client is opened; a watch asks ever more seldom. */
    @ParameterizedTest
    @EnumSource(StrictFront.Version.class)
    void aKeyThatIsNotTakenIsAFaultOfTheSetup(StrictFront.Version version) throws Exception {
        String key = version == StrictFront.Version.V1_22 ? "my/..%252fkey" : "my:key";
        try (StrictFront front = new StrictFront(port(), version);
                ElectionStore store = ConsulServer.open(front.port(), "key=" + key)) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> ElectionClient.connect(ConsulServer.url(front.port(), "lease=10s&key=" + key))
                            .close())
                    .withMessageContainingAll("rejects the key", "nvalid key", "parameter 'key'");

            store.watch(RecordKey.elections(), hint -> {});
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> StoreClient.answer(store.read(RecordKey.election("jobs"), StoreClient.call())));
            Await.passing(Duration.ofSeconds(5));
            assertThat(front.refusals()).as("requests in 5 s").isBetween(3, 15);
        }
    }

    /** What the operator sees. */
    @Test
    void aNameStandsInItsKeyAsFarAsItCan() throws Exception {
        try (StoreClient client = new StoreClient(ConsulServer.open(port(), "lock-delay=0s"))) {
            client.lead(RecordKey.election("night shift@berlin.v2"));

            assertThat(ConsulServer.get(CONSUL.server(), "/v1/kv/service/?keys"))
                    .contains("\"service/night=20shift=40berlin.v2/leader\"");
        }
    }
}
