package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store refuses what serves all elections of a client: each says so, for as long as it lasts. */
class CommonFaultsTest {
    private final World world = World.withSessions().set(Setting.RECORD_CHECK_INTERVAL, Duration.ofSeconds(20));
    private final VirtualStore connection = world.store.another();
    private final Client client = world.client("b", connection);
    private final Election election = client.election("e");
    /** Requests of that kind are refused. */
    private String refused = "none";

    @BeforeEach
    void refuse() {
        connection.onCall = () -> {
            if (connection.last().equals(refused)) {
                throw new StoreSetupException("no right to " + refused + "; grant it");
            }
        };
    }

    @Test
    void aSessionThatIsRefusedIsSaidUntilThereIsOne() {
        refused = "open";
        CompletableFuture<Leadership> won = election.campaignAsync("v").toCompletableFuture();

        world.passUntil(() -> election.status().state() == CandidacyStatus.State.FAULTY);
        assertThat(election.status().reason()).endsWith("no right to open; grant it");
        assertThat(client.context().faults().first()).isEqualTo("no right to open; grant it");
        world.pass(Duration.ofMinutes(1));
        assertThat(won).isNotDone();
        refused = "none";

        world.passUntil(won::isDone, Duration.ofMinutes(2));
        assertThat(won.join().isValid()).isTrue();
        assertThat(client.context().faults().first()).isNull();
    }

    /** What is held is read one by one meanwhile: a record that somebody deleted ends its term. */
    @Test
    void aListingThatIsRefusedIsSaidAndHidesNoLoss() {
        Leadership leadership = world.win(election);
        refused = "list";

        world.passUntil(() -> client.context().faults().first() != null);
        assertThat(client.context().faults().first()).isEqualTo("no right to list; grant it");
        assertThat(leadership.isValid()).isTrue();
        connection.isDeaf = true;
        world.store.delete("e");

        world.passUntil(() -> !leadership.isValid());
    }

    @Test
    void aListingThatComesAgainEndsTheFault() {
        Leadership leadership = world.win(election);
        refused = "list";
        world.passUntil(() -> client.context().faults().first() != null);

        refused = "none";

        world.passUntil(() -> client.context().faults().first() == null);
        assertThat(leadership.isValid()).isTrue();
    }

    /** It may work at the next try: nobody has to change anything. */
    @Test
    void aListingThatFailsIsNoFault() {
        Leadership leadership = world.win(election);
        AtomicInteger failures = new AtomicInteger();
        connection.onCall = () -> {
            if (connection.last().equals("list")) {
                failures.incrementAndGet();
                throw new IllegalStateException("the connection was lost");
            }
        };

        world.passUntil(() -> failures.get() > 2, Duration.ofMinutes(2));

        assertThat(client.context().faults().first()).isNull();
        assertThat(leadership.isValid()).isTrue();
    }
}
