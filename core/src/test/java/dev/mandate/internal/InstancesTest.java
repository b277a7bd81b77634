package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.internal.memory.ModelStore;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Instances on their way to the store and back. */
class InstancesTest {
    private static final RecordKey KEY = RecordKey.registration("web", "7");
    private final ModelStore model =
            new ModelStore(VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.RECORD), ModelOptions.DEFAULT);

    private Observation.Held stored(String value) {
        LeaderRecord record =
                LeaderRecord.proposal("host:1", new Id(1, 2), new Id(3, 4), value, Duration.ofSeconds(10), 5_000);
        model.acquire(KEY, model.read(KEY, 0), record, 0, 0, 0);
        return (Observation.Held) model.read(KEY, 0);
    }

    @Test
    void whatIsRegisteredIsSeen() {
        ServiceInstance instance =
                ServiceInstance.at("10.0.0.7:8080").withId("7").withMetadata("zone", "a");

        RegisteredInstance seen = Instances.of(stored(Instances.value(instance)), true);

        assertThat(seen).isEqualTo(new RegisteredInstance("web", instance, "host:1", Instant.ofEpochSecond(5), true));
        assertThat(seen.isPassing()).isTrue();
    }

    @Test
    void whatCannotBeReadIsDown() {
        RegisteredInstance seen = Instances.of(stored("10.0.0.7:8080"), false);

        assertThat(seen.instance()).isEqualTo(new ServiceInstance("7", "", Map.of(), Status.DOWN));
        assertThat(seen.verified()).isFalse();
        assertThat(seen.isPassing()).isFalse();
    }

    @Test
    void whatAnotherProgramWroteIsDown() {
        model.overwriteForeign(KEY, "somebody", null, 0);

        RegisteredInstance seen = Instances.of((Observation.Held) model.read(KEY, 0), true);

        assertThat(seen.instance()).isEqualTo(new ServiceInstance("7", "", Map.of(), Status.DOWN));
        assertThat(seen.candidate()).isEqualTo("somebody");
    }

    /** "1,000 bytes work everywhere": exactly those, whatever the status, and not one more. */
    @Test
    void theLimitIsExact() {
        ServiceInstance bare = ServiceInstance.withoutAddress().withMetadata("k", "");
        ServiceInstance full = bare.withMetadata("k", "é".repeat((1_000 - bare.bytes()) / 2));
        while (full.bytes() < 1_000) {
            full = full.withMetadata("k", full.metadata().get("k") + "x");
        }
        ServiceInstance tooMuch = full.withMetadata("k", full.metadata().get("k") + "x");

        for (Status status : Status.values()) {
            ServiceInstance each = Instances.requireFit(full.withStatus(status));
            assertThat(Instances.value(each).getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(1_000);
        }
        assertThat(Instances.value(full.withStatus(Status.OUT_OF_SERVICE)).getBytes(StandardCharsets.UTF_8))
                .hasSize(1_000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Instances.requireFit(tooMuch))
                .withMessage("address and metadata take 1001 bytes as JSON in UTF-8, metadata 'k' alone "
                        + (1 + tooMuch.metadata().get("k").getBytes(StandardCharsets.UTF_8).length)
                        + "; the limit is 1000 on every store, so shorten it");
    }

    @Test
    void whatTakesMostIsNamedAndNoValueIsQuoted() {
        ServiceInstance wide = ServiceInstance.at("a".repeat(990)).withMetadata("secret", "hunter2");
        ServiceInstance named = ServiceInstance.at("a").withMetadata("n\n".repeat(600), "v");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Instances.requireFit(wide))
                .withMessageContaining("the address alone 990;")
                .withMessageNotContaining("hunter2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Instances.requireFit(named))
                .withMessageContaining("…' alone 1201; the limit is 1000")
                .withMessageNotContaining("\n");
    }

    /** 1,024 characters is what Azure takes, with the folder of the container. */
    @Test
    void aKeyThatSomeStoreCannotTakeIsRefused() {
        assertThat(Instances.requireKey("s".repeat(400), "i".repeat(499)).name())
                .hasSize(499);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Instances.requireKey("s".repeat(400), "i".repeat(500)))
                .withMessageStartingWith("the service's name 'ssss")
                .withMessageContaining("take 901 characters as a key")
                .withMessageEndingWith("the limit is 900 on every store, so shorten them");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Instances.requireKey("web", "é".repeat(150)))
                .withMessageContaining("take 904 characters");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Instances.requireKey("", "7"))
                .withMessage("service is empty; give 1 to 512 bytes");
    }
}
