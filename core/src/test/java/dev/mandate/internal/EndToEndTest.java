package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.FencingToken;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.memory.MemoryFaults;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The whole library as a user sees it, in real time, on the memory store. */
class EndToEndTest {

    @Test
    void theSecondCandidateTakesOverWhenTheTaskOfTheFirstReturns() throws Exception {
        BlockingQueue<FencingToken> terms = new LinkedBlockingQueue<>();
        CompletableFuture<Void> mayReturn = new CompletableFuture<>();

        try (ElectionClient a = ElectionClient.connect("memory:handover?lease=2s&candidate=a");
                ElectionClient b = ElectionClient.connect("memory:handover?lease=2s&candidate=b")) {
            Candidacy first = a.election("invoices").runWhileLeader("at a", leadership -> {
                terms.add(leadership.fencingToken());
                mayReturn.get();
            });
            FencingToken one = terms.poll(30, TimeUnit.SECONDS);
            assertThat(first.status().state()).isEqualTo(CandidacyStatus.State.LEADING);
            Candidacy second = b.election("invoices").runWhileLeader("at b", leadership -> {
                terms.add(leadership.fencingToken());
                new CompletableFuture<Void>().get();
            });
            mayReturn.complete(null);
            FencingToken two = terms.poll(30, TimeUnit.SECONDS);

            assertThat(two.value()).isGreaterThan(one.value());
            assertThat(first.await(java.time.Duration.ofSeconds(30))).isTrue();
            assertThat(second.status().isLeader()).isTrue();
            assertThat(b.leaders("inv", 10)).singleElement().satisfies(leader -> {
                assertThat(leader.candidate()).isEqualTo("b");
                assertThat(leader.value()).isEqualTo("at b");
                assertThat(leader.token()).isEqualTo(two);
            });
        }
    }

    @Test
    void aLeaderThatIsCutOffIsToldAndTheOtherLeads() throws Exception {
        CompletableFuture<EndReason> lost = new CompletableFuture<>();

        try (MemoryFaults faults = MemoryFaults.of("cutoff");
                ElectionClient a = ElectionClient.connect("memory:cutoff?lease=1s&as=a&candidate=a");
                ElectionClient b = ElectionClient.connect("memory:cutoff?lease=1s&as=b&candidate=b");
                Leadership first = a.election("invoices").campaign("at a")) {
            first.ended().thenAccept(lost::complete);
            faults.only("a").cutOff();
            try (Leadership second = b.election("invoices").campaign("at b")) {
                assertThat(first.isValid()).isFalse();
                assertThat(second.isValid()).isTrue();
                assertThat(second.fencingToken().value())
                        .isGreaterThan(first.fencingToken().value());
            }
            assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(EndReason.LEASE_RAN_OUT);
        }
    }

    @Test
    void anObserverSeesLeaderValueAndVacancy() throws Exception {
        BlockingQueue<LeaderView> views = new LinkedBlockingQueue<>();

        try (ElectionClient a = ElectionClient.connect("memory:seen?lease=2s&candidate=a");
                ElectionClient b = ElectionClient.connect("memory:seen?lease=2s&candidate=b");
                Observing observing = b.election("invoices").observe(views::add)) {
            try (Leadership leadership = a.election("invoices").campaign("one")) {
                awaitView(views, v -> v.leader().map(l -> l.value()).equals(Optional.of("one")));
                leadership.proclaim("two");
                awaitView(views, v -> v.leader().map(l -> l.value()).equals(Optional.of("two")));
            }
            awaitView(views, v -> v instanceof LeaderView.Vacant);
            assertThat(observing.view()).isInstanceOf(LeaderView.Vacant.class);
        }
    }

    private static void awaitView(BlockingQueue<LeaderView> views, java.util.function.Predicate<LeaderView> wanted)
            throws InterruptedException {
        LeaderView view = views.poll(30, TimeUnit.SECONDS);
        while (view != null && !wanted.test(view)) {
            view = views.poll(30, TimeUnit.SECONDS);
        }
        assertThat(view).as("the view that was awaited").isNotNull();
    }
}
