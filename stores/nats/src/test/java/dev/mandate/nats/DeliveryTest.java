package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryTest {
    private static final Delivery UNKNOWN = new Delivery(-1, -1);

    @Test
    void theShortFormHasTheNumbersInTheSixthAndSeventhPlace() {
        assertThat(Delivery.of("$JS.ACK.KV_B.c1.1.4711.12.1700000000000000000.0"))
                .isEqualTo(new Delivery(4711, 12));
    }

    @Test
    void theLongFormHasDomainAndAccountInFront() {
        assertThat(Delivery.of("$JS.ACK.hub.ACCOUNT.KV_B.c1.1.4711.12.1700000000000000000.0"))
                .isEqualTo(new Delivery(4711, 12));
        assertThat(Delivery.of("$JS.ACK._.ACCOUNT.KV_B.c1.1.4711.12.1700000000000000000.0.token"))
                .isEqualTo(new Delivery(4711, 12));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", ".", "......", "_INBOX.abc.1", "$JS.ACK.KV_B.c1.1.4711"})
    void anythingElseSaysNothing(String reply) {
        assertThat(Delivery.of(reply)).isEqualTo(UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "+1", "1a", "1234567890123456789", "١"})
    void whatIsNoWholeNumberIsNone(String text) {
        assertThat(Delivery.number(text)).isEqualTo(-1);
    }
}
