package dev.mandate.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user does with faults on demand, with real clients. */
@Tag("long")
@Order(1)
class MemoryFaultsTest {
    private static final Duration PLENTY = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "expiry=store-removes&scope=session",
                "expiry=store-removes&scope=record",
                "expiry=observer-judges&scope=session",
                "expiry=observer-judges&scope=record"
            })
    void whoIsCutOffLosesAndAnotherLeads(String kind) throws Exception {
        try (MemoryFaults store = MemoryFaults.of("cut-off");
                ElectionClient a = ElectionClient.connect("memory:cut-off?lease=1s&as=a&" + kind);
                ElectionClient b = ElectionClient.connect("memory:cut-off?lease=1s&as=b&" + kind)) {
            Leadership first = a.election("orders").campaign("a");

            store.only("a").cutOff();

            Leadership second = b.election("orders").campaign("b", PLENTY).orElseThrow();
            assertThat(first.isValid()).isFalse();
            assertThat(reason(first)).isEqualTo(EndReason.LEASE_RAN_OUT);
            assertThat(second.fencingToken().value())
                    .isGreaterThan(first.fencingToken().value());
        }
    }

    @Test
    void aLostAnswerIsNoLossAndNoWinUntilItIsRead() throws Exception {
        try (MemoryFaults store = MemoryFaults.of("lost-answer");
                ElectionClient client = ElectionClient.connect("memory:lost-answer?lease=5s")) {
            store.loseAnswers(3);

            Leadership leadership =
                    client.election("orders").campaign("value", PLENTY).orElseThrow();

            assertThat(leadership.isValid()).isTrue();
        }
    }

    @Test
    void aDeletedRecordEndsTheTerm() throws Exception {
        try (MemoryFaults store = MemoryFaults.of("deleted");
                ElectionClient client = ElectionClient.connect("memory:deleted?lease=1s")) {
            Leadership leadership = client.election("orders").campaign("value");

            assertThat(store.deleteRecord("orders")).isTrue();

            assertThat(reason(leadership)).isEqualTo(EndReason.VANISHED);
        }
    }

    @Test
    void anExpiredLeaseEndsTheTerm() throws Exception {
        try (MemoryFaults store = MemoryFaults.of("expired");
                ElectionClient client = ElectionClient.connect("memory:expired?lease=1s")) {
            Leadership leadership = client.election("orders").campaign("value");

            assertThat(store.expireNow("orders")).isTrue();

            assertThat(reason(leadership).isStoreTrouble()).isTrue();
        }
    }

    @Test
    void badArgumentsAreNamed() {
        assertThatThrownBy(() -> MemoryFaults.of("")).hasMessageContaining("name is empty");
        try (MemoryFaults store = MemoryFaults.of("arguments")) {
            assertThatThrownBy(() -> store.only("")).hasMessageContaining("label is empty");
            assertThatThrownBy(() -> store.delay(Duration.ofMillis(-1))).hasMessageContaining("PT-0.001S");
            assertThatThrownBy(() -> store.loseAnswers(-1)).hasMessageContaining("-1");
            assertThatThrownBy(() -> store.refuseWrites(-1)).hasMessageContaining("-1");
        }
    }

    private static EndReason reason(Leadership leadership) throws Exception {
        return leadership.ended().toCompletableFuture().get(PLENTY.toSeconds(), TimeUnit.SECONDS);
    }
}
