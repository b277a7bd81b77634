package dev.mandate.examples.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionChange;
import dev.mandate.ElectionClient;
import dev.mandate.ElectionsWatch;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pieces of {@code docs/discovery.md} that no example has. */
@Timeout(60)
class DiscoveryPageTest {
    private final BlockingQueue<String> shown = new LinkedBlockingQueue<>();

    @Test
    void allElectionsAreWatched(@TempDir Path folder) throws Exception {
        String store = "sqlite:" + folder.resolve("mandate.db");
        try (ElectionClient leader = ElectionClient.connect(store);
                ElectionClient caller = ElectionClient.connect(store);
                Leadership led = leader.election("invoices").campaign("http://10.0.0.7:8080")) {
            LeaderView view = watched(caller);

            assertThat(led.isValid()).isTrue();
            assertThat(view.leader().orElseThrow().value()).isEqualTo("http://10.0.0.7:8080");
            assertThat(shown.poll(30, TimeUnit.SECONDS)).isEqualTo("invoices");
        }
    }

    private LeaderView watched(ElectionClient client) throws InterruptedException {
        ElectionsWatch watch = client.watchElections((now, changes) -> {
            for (ElectionChange change : changes) {
                show(change);
            }
        });
        watch.awaitListed(Duration.ofSeconds(10)); // until the store has answered for the first time
        LeaderView invoices = watch.view("invoices"); // led, vacant, or unknown while the view is stale
        return invoices;
    }

    private void show(ElectionChange change) {
        shown.add(change.election());
    }
}
