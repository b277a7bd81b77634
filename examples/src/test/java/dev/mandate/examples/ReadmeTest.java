package dev.mandate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.FencingToken;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example of {@code README.md}, which quotes it line by line. */
class ReadmeTest {
    private final List<String> sent = new ArrayList<>();

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void theExampleOfTheReadmeLeadsUntilItsWorkIsDone(@TempDir Path folder) throws InterruptedException {
        sendAsLeader("sqlite:" + folder.resolve("mandate.db"), new ArrayList<>(List.of("a", "b")));

        assertThat(sent).hasSize(2);
        assertThat(sent.get(0)).matches("a [1-9][0-9]*");
    }

    private void sendAsLeader(String url, List<String> invoices) throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect(url)) { // "sqlite:/var/lib/shop/mandate.db"
            Candidacy candidacy = client.election("invoices").runWhileLeader("10.0.0.7:8080", leadership -> {
                while (!invoices.isEmpty()) { // on loss this thread is interrupted
                    leadership.ensureValid(); // throws once the term is over
                    send(invoices.remove(0), leadership.fencingToken());
                }
            });
            candidacy.await(); // until the task has returned; after a loss it is run again when elected again
        }
    }

    private void send(String invoice, FencingToken token) {
        sent.add(invoice + " " + token);
    }
}
