package dev.mandate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.LeadershipLostException;
import dev.mandate.Order;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.registry.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pieces of {@code docs/registry.md} and {@code docs/coming-from-a-recipe.md}, which quote them line by line. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RegistryPageTest {
    private final List<String> called = new ArrayList<>();
    private final BlockingQueue<Integer> shown = new LinkedBlockingQueue<>();

    @Test
    void anInstanceIsRegisteredFollowedAndCalled(@TempDir Path folder) throws InterruptedException {
        String url = "sqlite:" + folder.resolve("mandate.db");
        try (ElectionClient provider = ElectionClient.connect(url)) {
            register(provider);
            follow(url);
        }

        assertThat(called).containsExactly("10.0.0.7:8080", "10.0.0.7:8080");
        assertThat(shown).last().isEqualTo(1);
    }

    private void register(ElectionClient client) throws InterruptedException {
        Registration registration = client.registry()
                .register("invoices", ServiceInstance.at("10.0.0.7:8080").withMetadata("zone", "a"));
        registration.awaitRegistered(Duration.ofSeconds(10)); // or go on: it registers as soon as the store answers
    }

    private void follow(String url) throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect(url)) {
            ServiceWatch invoices = client.registry().watch("invoices", (now, changes) -> show(now));
            while (invoices.view().stale()) {
                Thread.sleep(10); // until the store has answered for the first time
            }
            invoices.next().map(RegisteredInstance::address).ifPresent(this::call); // round robin
            invoices.forKey("customer 4711").map(RegisteredInstance::address).ifPresent(this::call);
            while (shown.isEmpty()) {
                Thread.sleep(10);
            }
        }
    }

    private void show(ServiceView view) {
        shown.add(view.passing().size());
    }

    private void call(String address) {
        called.add(address);
    }

    @Test
    void aCheckSetsTheStatus(@TempDir Path folder) throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect("sqlite:" + folder.resolve("mandate.db"))) {
            Registration registration = client.registry()
                    .register("invoices", ServiceInstance.at("10.0.0.7:8080").withStatus(Status.STARTING))
                    .healthCheck(this::isServing, Duration.ofMillis(50), Duration.ofSeconds(10));
            while (registration.instance().status() != Status.UP) {
                Thread.sleep(10);
            }
            registration.status(Status.OUT_OF_SERVICE); // by hand; no health check changes it
            registration.close(); // leaves nothing behind
        }
    }

    private boolean isServing() {
        return true;
    }

    @Test
    void workersRegisterAndTheOneThatCameFirstPolls(@TempDir Path folder) throws InterruptedException {
        workUntilPolled("sqlite:" + folder.resolve("mandate.db"));

        assertThat(called).containsExactly("polled");
    }

    private void workUntilPolled(String url) throws InterruptedException {
        try (ElectionClient client =
                ElectionClient.builder(url).order(Order.ARRIVAL).connect()) { // "…?order=arrival"
            Registration worker = client.registry().register("workers", ServiceInstance.at("10.0.0.7:8080"));
            Candidacy poller = client.election("poller").runWhileLeader(worker.id(), leadership -> poll(leadership));
            poller.await();
        }
    }

    private void poll(Leadership leadership) throws LeadershipLostException {
        leadership.ensureValid();
        called.add("polled");
    }
}
