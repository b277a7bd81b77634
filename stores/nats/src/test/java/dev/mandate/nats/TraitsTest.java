package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What clients may count on before the store has answered, beside what it grants once it has. */
class TraitsTest {
    private static final Bucket BUCKET = new Bucket(
            ServerVersion.of("2.15.1"),
            false,
            Expiring.KEY,
            Duration.ofMinutes(10),
            Duration.ofMinutes(1),
            1,
            false,
            1_024,
            "x",
            "");

    private static StoreTraits traits(String parameters, Duration lease) {
        NatsSettings settings = NatsUrl.settings(
                StoreUrl.parse("nats://127.0.0.1:4222" + parameters).withLease(lease));
        return Traits.of(settings, BUCKET);
    }

    @Test
    void leaseLessReserveIsWhatIsGranted() {
        Duration lease = Duration.ofSeconds(10);

        assertThat(lease.minus(traits("", lease).reserve())).isEqualTo(BUCKET.granted(lease, null));
        assertThat(traits("", lease).reserve()).isEqualTo(Duration.ofMillis(500));
        assertThat(traits("?clockStep=2s", lease).reserve()).isEqualTo(Duration.ofSeconds(2));
        assertThat(traits("?clockStep=0s", lease).reserve()).isZero();
        assertThat(traits("", Duration.ofMillis(1_500)).reserve())
                .isEqualTo(Duration.ofMillis(1_500).minus(BUCKET.granted(Duration.ofMillis(1_500), null)));
    }

    @Test
    void beforeTheBucketWasSeenTheMostIsAssumed() {
        NatsSettings settings = NatsUrl.settings(StoreUrl.parse("nats://127.0.0.1:4222"));

        assertThat(Traits.unseen(settings).reserve()).isEqualTo(Duration.ofMillis(500));
    }
}
