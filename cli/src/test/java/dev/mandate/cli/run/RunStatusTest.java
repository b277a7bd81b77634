package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.LeaderView;
import dev.mandate.console.Console;
import dev.mandate.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What {@code run} says while it is not known who leads. */
class RunStatusTest {
    private static final LeaderView VACANT = new LeaderView.Vacant(Duration.ZERO);
    private static final LeaderView UNKNOWN = new LeaderView.Unknown(Duration.ZERO);

    @Test
    void aLookThatTakesAMomentIsNoSilence() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (ElectionClient client = ElectionClient.connect("memory:RunStatusTest");
                RunStatus status = new RunStatus(Console.to(new ByteArrayOutputStream(), said), "jobs", false)) {
            status.view(VACANT, client.election("jobs"), "me");
            status.view(UNKNOWN, client.election("jobs"), "me");
            status.view(VACANT, client.election("jobs"), "me");
            status.lease(Duration.ofSeconds(10));
            status.view(UNKNOWN, client.election("jobs"), "me");

            // The second one is due a second after the first one, which would have been said by then.
            Await.until(
                    "the silence to be said",
                    Duration.ofMinutes(1),
                    () -> !said.toString(StandardCharsets.UTF_8).isEmpty());
        }

        assertThat(said.toString(StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .contains("the store does not answer: the leader of 'jobs' is unknown");
    }
}
