package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.console.Called;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code services} and {@code instances} print, of instances that this process registers. */
class RegistryCommandsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path temp;

    private ElectionClient client;

    @BeforeEach
    void open() {
        client = ElectionClient.connect(store());
    }

    @AfterEach
    void close() {
        client.close();
    }

    private String store() {
        return "sqlite:" + temp.resolve("store.db") + "?lease=2s";
    }

    private Called call(String... args) {
        return Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", store()), args).assertDone();
    }

    private Registration register(String service, ServiceInstance instance) throws InterruptedException {
        Registration registration = client.registry().register(service, instance);
        assertThat(registration.awaitRegistered(PATIENCE))
                .as(registration.state().reason())
                .isTrue();
        return registration;
    }

    @Test
    void servicesAreThoseWithAnInstance() throws Exception {
        assertThat(call("services").err()).contains("nothing is registered in sqlite:");
        assertThat(call("services", "--json").out()).endsWith("\"services\":[]}\n");

        register("webapp", ServiceInstance.at("a:1"));
        Registration web = register("web", ServiceInstance.at("a:2"));
        assertThat(call("services").out()).isEqualTo("web\nwebapp\n");
        assertThat(call("services", "--json").out()).endsWith("\"services\":[\"web\",\"webapp\"]}\n");

        web.close();
        assertThat(call("services").out()).isEqualTo("webapp\n");
    }

    @Test
    void instancesAreLinesWhoseFieldsCanBeCut() throws Exception {
        assertThat(call("instances", "web").err()).contains("no instance of 'web' is registered");
        register("web", ServiceInstance.at("10.0.0.7:80").withId("a").withMetadata("zone", "x"));
        register("web", ServiceInstance.withoutAddress().withId("b").withStatus(Status.STARTING));
        register("webapp", ServiceInstance.at("10.0.0.8:80").withId("c"));

        Called all = call("instances", "web");
        assertThat(all.out()).isEqualTo("a\t10.0.0.7:80\tUP\tunverified\tzone=x\nb\t-\tSTARTING\tunverified\t-\n");
        assertThat(all.err()).contains("a single read cannot show");

        Called passing = call("instances", "web", "--passing", "--verify");
        assertThat(passing.out()).isEqualTo("a\t10.0.0.7:80\tUP\tlive\tzone=x\n");
        assertThat(passing.err()).isEmpty();
    }

    @Test
    void nobodyIsPassingIsSaid() throws Exception {
        register("web", ServiceInstance.at("10.0.0.7:80").withStatus(Status.DOWN));

        Called passing = call("instances", "web", "--passing");

        assertThat(passing.out()).isEmpty();
        assertThat(passing.err()).contains("no instance of 'web' is passing");
        assertThat(call("instances", "web", "--passing", "--json").out()).endsWith("\"instances\":[]}\n");
    }

    @Test
    void aWatchPrintsAllInstancesFirst() throws Exception {
        register("web", ServiceInstance.at("10.0.0.7:80").withId("a"));

        assertThat(call("instances", "web", "--watch", "--for", "1s").out().lines())
                .first()
                .asString()
                .contains("\tadded\ta\t10.0.0.7:80\tUP\t");
    }

    @Test
    void anInstanceOfAClientThatWasNotClosedIsVerifiedToBeDead() throws Exception {
        ElectionClient other = ElectionClient.connect(store());
        assertThat(other.registry()
                        .register("web", ServiceInstance.at("x:1").withId("gone"))
                        .awaitRegistered(PATIENCE))
                .isTrue();
        other.close();
        register("web", ServiceInstance.at("x:2").withId("here"));

        assertThat(call("instances", "web", "--verify").out()).isEqualTo("here\tx:2\tUP\tlive\t-\n");
    }
}
