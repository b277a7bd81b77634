package dev.mandate.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.mandate.Candidacy;
import dev.mandate.Leadership;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

@ExtendWith(MandateExtension.class)
class MandateExtensionTest {
    private static final Set<TestElectionClient> CLIENTS = new HashSet<>();

    private TestElectionClient given;

    @BeforeEach
    void take(TestElectionClient client) {
        given = client;
    }

    @RepeatedTest(2)
    void eachTestHasItsOwnClientWhichIsClosedAfterIt(TestElectionClient client, TestElection election) {
        assertThat(CLIENTS.add(client)).isTrue();
        assertThat(given).isSameAs(client);
        assertThat(election).isSameAs(client.election(MandateExtension.ELECTION));
        election.elect(42);

        Candidacy left = election.runWhileLeader("here", leadership -> new CountDownLatch(1).await());

        assertThat(left.status().isLeader()).isTrue();
    }

    @AfterAll
    static void allAreClosed() {
        assertThat(CLIENTS).hasSize(2).allSatisfy(client -> {
            assertThat(client.campaigning()).isEmpty();
            assertThatThrownBy(() -> client.election("x").campaignAsync("v")).hasMessageContaining("is closed");
        });
    }

    @Test
    void whatIsLeftOpenIsNamed(TestElectionClient client) throws InterruptedException {
        client.election("orders").elect(1);
        assertThat(client.campaigning()).isEmpty();

        Leadership leadership = client.election("orders").campaign("here");
        assertThat(client.campaigning()).containsExactly("orders");

        leadership.close();
        assertThat(client.campaigning()).isEmpty();
    }

    /** Run by the test below, not by itself. */
    static class LeavesACandidacyOpen {
        @RegisterExtension
        static final MandateExtension MANDATE = MandateExtension.requiringClosed();

        @Test
        void leavesIt(TestElectionClient client) {
            client.election("orders").runWhileLeader("here", leadership -> {});
        }

        @Test
        void closesIt(TestElectionClient client) {
            client.election("orders").runWhileLeader("here", leadership -> {}).close();
        }
    }

    @Test
    void aTestThatLeavesACandidacyOpenFails() {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();

        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(LeavesACandidacyOpen.class))
                                .build(),
                        summary);

        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(1);
        assertThat(summary.getSummary().getFailures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.getException())
                        .hasMessageContaining("the test left candidacies open, in the elections [orders]"));
    }
}
