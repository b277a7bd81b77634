package dev.mandate.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import dev.mandate.registry.ServiceInstance;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What only the double can do. Nothing here waits for anything but the methods it calls. */
class TestElectionTest {
    private final List<String> events = new CopyOnWriteArrayList<>();

    private void work(Leadership leadership) throws InterruptedException {
        events.add("leads " + leadership.fencingToken());
        try {
            new CountDownLatch(1).await();
        } finally {
            events.add("stops");
        }
    }

    @Test
    void theTaskHasBegunWhenTheCallReturns() {
        TestElection election = TestElection.leading("orders", 42);

        Candidacy candidacy = election.runWhileLeader("here", this::work);

        assertThat(events).containsExactly("leads 42");
        assertThat(candidacy.status().fencingToken().orElseThrow().value()).isEqualTo(42);
        candidacy.close();
        assertThat(events).containsExactly("leads 42", "stops");
    }

    @Test
    void itLeadsWhenTheTestSaysSo() {
        TestElection election = TestElection.vacant("orders");
        Candidacy candidacy = election.runWhileLeader("here", this::work);
        election.advance(Duration.ofHours(1));
        assertThat(events).isEmpty();
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.FOLLOWING);
        assertThat(election.view()).isInstanceOf(LeaderView.Vacant.class);

        election.elect(7);
        assertThat(events).containsExactly("leads 7");

        election.lose(EndReason.LEASE_RAN_OUT);
        assertThat(events).containsExactly("leads 7", "stops");
        election.advance(Duration.ofHours(1));
        assertThat(events).hasSize(2);

        election.elect(8);
        assertThat(events).containsExactly("leads 7", "stops", "leads 8");
        candidacy.close();
    }

    @ParameterizedTest
    @EnumSource(EndReason.class)
    void itIsLostForEveryReasonThatIsNotTheProgramsOwn(EndReason why) throws InterruptedException {
        TestElection election = TestElection.leading("orders", 1);
        Leadership leadership = election.campaign("here");
        CompletableFuture<EndReason> lost = leadership.ended().toCompletableFuture();
        boolean isOwn = why.isWorkTrouble()
                || List.of(EndReason.RESIGNED, EndReason.WITHDRAWN, EndReason.COMPLETED)
                        .contains(why);

        if (isOwn) {
            assertThatThrownBy(() -> election.lose(why))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(why.toString());
            assertThat(leadership.isValid()).isTrue();
        } else {
            election.lose(why);

            assertThat(leadership.isValid()).isFalse();
            assertThat(lost).isCompletedWithValue(why);
        }
        leadership.close();
    }

    @Test
    void anotherLeadsUntilTheProgramIsElected() throws InterruptedException {
        TestElection election = TestElection.ledBy("orders", "other", 7);
        assertThat(election.campaign("here", Duration.ofSeconds(30))).isEmpty();
        assertThat(election.view().leader().orElseThrow().token().value()).isEqualTo(7);
        Candidacy candidacy = election.runWhileLeader("here", this::work);

        election.elect(8);

        assertThat(events).containsExactly("leads 8");
        assertThat(election.view().leader().orElseThrow().value()).isEqualTo("here");
        candidacy.close();
    }

    @Test
    void whoDisplacesTheProgramIsSeen() {
        TestElection election = TestElection.leading("orders", 1);
        Candidacy candidacy = election.runWhileLeader("here", this::work);

        election.lose(EndReason.DISPLACED);

        assertThat(election.view().leader().orElseThrow().candidate()).isEqualTo("other");
        candidacy.close();
    }

    @Test
    void aTermEndsByItselfWhenTheStoreIsCutOff() {
        TestElection election = TestElection.leading("orders", 1);
        Candidacy candidacy = election.runWhileLeader("here", this::work);
        election.advance(Duration.ofMinutes(5));
        assertThat(events).containsExactly("leads 1");

        election.cutStore();
        election.advance(Duration.ofSeconds(3));
        assertThat(candidacy.status().isLeader()).isTrue();
        election.advance(Duration.ofSeconds(7));

        assertThat(events).containsExactly("leads 1", "stops");
        assertThatThrownBy(() -> election.elect(2)).hasMessageContaining("healStore()");
        election.healStore();
        election.elect(2);
        assertThat(events).containsExactly("leads 1", "stops", "leads 2");
        candidacy.close();
    }

    @Test
    void anUnknownLeaderIsUnknown() {
        TestElection election = TestElection.ledBy("orders", "other", 1);
        List<Optional<String>> routes = new ArrayList<>();
        Observing observing = election.observe(view -> routes.add(view.leader().map(l -> l.value())));
        assertThat(routes).endsWith(Optional.of("other"));

        election.becomeUnknown();
        assertThat(election.view()).isInstanceOf(LeaderView.Unknown.class);
        assertThat(routes).endsWith(Optional.empty());

        election.healStore();
        election.advance(Duration.ofSeconds(10));
        assertThat(routes).endsWith(Optional.of("other"));
        observing.close();
    }

    @Test
    void anEvictedProgramPausesAndIsElectedAfterThat() {
        TestElection election = TestElection.leading("orders", 1);
        Candidacy candidacy = election.runWhileLeader("here", this::work);
        election.evict();
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
        Instant from = election.client().clock().instant();

        election.elect(2);

        assertThat(candidacy.status().isLeader()).isTrue();
        assertThat(Duration.between(from, election.client().clock().instant()))
                .isBetween(Duration.ofMillis(2_500), Duration.ofMillis(4_000));
        candidacy.close();
    }

    @Test
    void aStalledTaskIsFoundInVirtualTime() {
        TestElection election = TestElection.leading("orders", 1);
        Candidacy candidacy = election.runWhileLeader(
                "here", RunOptions.DEFAULTS.withProgressTimeout(Duration.ofMinutes(10)), this::work);

        election.advance(Duration.ofMinutes(9));
        assertThat(events).containsExactly("leads 1");
        election.advance(Duration.ofMinutes(2));

        assertThat(events).containsExactly("leads 1", "stops");
        candidacy.close();
    }

    @Test
    void aThreadOfTheProgramWaitsUntilElected() {
        TestElection election = TestElection.vacant("orders");
        AtomicReference<Leadership> won = new AtomicReference<>();
        Thread program = new Thread(() -> {
            try {
                won.set(election.campaign("here"));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        program.start();
        while (election.status().state() == CandidacyStatus.State.NOT_CAMPAIGNING) {
            Thread.yield();
        }

        election.elect(42);

        assertThat(won.get().fencingToken().value()).isEqualTo(42);
        won.get().close();
    }

    @Test
    void tokensIncrease() {
        TestElection election = TestElection.ledBy("orders", "other", 7);

        assertThatThrownBy(() -> election.elect(7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("token is 7");
        assertThatThrownBy(() -> TestElection.leading("orders", 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatMakesNoSenseIsRefused() throws InterruptedException {
        TestElection election = TestElection.leading("orders", 1);
        assertThatThrownBy(() -> election.lose(EndReason.EVICTED)).isInstanceOf(IllegalStateException.class);
        Leadership leadership = election.campaign("here");

        assertThatThrownBy(() -> election.elect(2)).hasMessageContaining("leads 'orders' already, with token 1");
        assertThatThrownBy(() -> election.electOther("other", 2)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> election.advance(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        election.cutStore();
        assertThatThrownBy(() -> election.lose(EndReason.EVICTED)).hasMessageContaining("advance() by the lease");
        leadership.close();
    }

    @Test
    void electionsOfAClientShareItsTimeAndItsConnection() {
        try (TestElectionClient client = new TestElectionClient(Duration.ofSeconds(30))) {
            TestElection orders = client.election("orders");
            TestElection mails = client.election("mails");
            assertThat(client.election("orders")).isSameAs(orders);
            orders.elect(1);
            mails.elect(5);
            Candidacy a = orders.runWhileLeader("here", this::work);
            Candidacy b = mails.runWhileLeader("here", this::work);
            assertThat(client.leaders("", 10)).hasSize(2);

            client.cutStore();
            client.advance(Duration.ofSeconds(30));

            assertThat(a.status().isLeader() || b.status().isLeader()).isFalse();
        }
        assertThat(events).containsExactlyInAnyOrder("leads 1", "leads 5", "stops", "stops");
    }

    @Test
    void aTaskMayCloseItsClient() {
        TestElectionClient client = new TestElectionClient();
        client.election("orders").electOther("other", 1);
        Candidacy candidacy = client.election("orders").runWhileLeader("here", leadership -> {
            client.close();
            events.add("closed");
        });

        client.election("orders").elect(2);

        assertThat(events).containsExactly("closed");
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    /** It computes: no longer waited for, but interrupted like any other. */
    @Test
    void aTaskThatNeverRestsHoldsNothingUp() {
        TestElection election = TestElection.leading("orders", 1);
        Candidacy candidacy = election.runWhileLeader("here", leadership -> {
            while (leadership.isValid()) {
                Thread.onSpinWait();
            }
            events.add("stops");
        });

        election.lose(EndReason.VANISHED);

        assertThat(candidacy.status().isLeader()).isFalse();
        candidacy.close();
    }

    /** A socket is outside of Java's waiting. */
    @Test
    void aTaskThatWaitsForInputHoldsNothingUp() throws IOException {
        TestElection election = TestElection.leading("orders", 1);
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Candidacy candidacy = election.runWhileLeader("here", leadership -> {
                events.add("listens");
                socket.accept();
            });
            assertThat(events).containsExactly("listens");

            election.advance(Duration.ofHours(1));

            assertThat(candidacy.status().isLeader()).isTrue();
            socket.close();
            candidacy.close();
        }
    }

    @Test
    void theRegistryAndTheWatchesWork() throws InterruptedException {
        try (TestElectionClient client = new TestElectionClient()) {
            var registration = client.registry()
                    .register("workers", ServiceInstance.withoutAddress().withId("w1"));
            assertThat(registration.awaitRegistered(Duration.ofSeconds(10))).isTrue();
            assertThat(client.registry().instances("workers").instances()).hasSize(1);
            var watch = client.watchElections();
            client.election("orders").electOther("other", 3);
            client.advance(Duration.ofSeconds(10));
            assertThat(watch.view().leaders()).hasSize(1);
        }
    }

    @Test
    void equalTestsTakeEqualTimes() {
        List<Duration> cutAndElected = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            TestElection election = TestElection.leading("orders", 1);
            Instant from = election.client().clock().instant();
            Candidacy candidacy = election.runWhileLeader("here", l -> new CountDownLatch(1).await());
            election.lose(EndReason.LEASE_RAN_OUT);
            election.elect(2);
            cutAndElected.add(Duration.between(from, election.client().clock().instant()));
            candidacy.close();
        }
        assertThat(cutAndElected.get(0)).isEqualTo(cutAndElected.get(1)).isPositive();
    }
}
