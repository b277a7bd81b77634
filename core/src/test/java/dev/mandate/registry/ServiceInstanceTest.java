package dev.mandate.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an instance can say of itself. */
class ServiceInstanceTest {
    @Test
    void oneMadeFromItsAddressIsUp() {
        ServiceInstance instance = ServiceInstance.at("10.0.0.7:8080");

        assertThat(instance).isEqualTo(new ServiceInstance("", "10.0.0.7:8080", Map.of(), Status.UP));
        assertThat(ServiceInstance.withoutAddress().address()).isEmpty();
    }

    @Test
    void partsAreReplacedOneByOne() {
        ServiceInstance instance = ServiceInstance.at("a:1")
                .withId("7")
                .withMetadata("zone", "a")
                .withMetadata("zone", "b")
                .withMetadata("rack", "1")
                .withStatus(Status.STARTING)
                .withAddress("a:2");

        assertThat(instance)
                .isEqualTo(new ServiceInstance("7", "a:2", Map.of("zone", "b", "rack", "1"), Status.STARTING));
        assertThat(instance.withMetadata(Map.of()).metadata()).isEmpty();
    }

    @Test
    void whatCannotBeSaidIsRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServiceInstance.at(""))
                .withMessageContaining("address is empty")
                .withMessageContaining("withoutAddress()");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServiceInstance.at("a").withId("x\n"))
                .withMessageContaining("id has a control character, U+000A");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServiceInstance.at("a").withId("x".repeat(513)))
                .withMessageContaining("id has 513 characters; the limit is 512");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServiceInstance.at("a").withMetadata("", "v"))
                .withMessageContaining("metadata has a field with an empty name");
    }

    @Test
    void everyUnknownWordIsDown() {
        for (Status status : Status.values()) {
            assertThat(Status.of(status.name())).isEqualTo(status);
        }
        assertThat(Status.of("up")).isEqualTo(Status.DOWN);
        assertThat(Status.of("")).isEqualTo(Status.DOWN);
        assertThat(Status.of("DRAINING")).isEqualTo(Status.DOWN);
    }
}
