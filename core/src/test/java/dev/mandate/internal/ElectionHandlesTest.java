package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What those who lead, follow and observe are told by an election. */
class ElectionHandlesTest {
    private final World world = World.withSessions();
    private final Client client = world.client("a");
    private final ClientElection election = (ClientElection) client.election("e");

    // ---- a leadership ----

    @Test
    void aLossIsToldToWhoeverAsksBeforeOrAfter() {
        Leadership leadership = world.win(election);
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        leadership.ended().thenAccept(lost::add);
        leadership.resign();
        world.host.settle();
        assertThat(lost).containsExactly(EndReason.RESIGNED, EndReason.RESIGNED);
        leadership.close();

        Leadership next = world.win(election);
        next.resign();
        next.ended().thenAccept(lost::add);
        world.host.settle();

        assertThat(lost).hasSize(3);
    }

    @Test
    void nothingIsSentForATermThatIsOver() {
        Leadership leadership = world.win(election);
        leadership.resign();
        world.pass(Duration.ofSeconds(1));
        int requests = world.store.requests.values().stream().mapToInt(i -> i).sum();

        assertThatThrownBy(() -> leadership.proclaim("elsewhere")).hasMessageContaining("is over: resigned");
        world.host.settle();

        assertThat(world.store.requests.values().stream().mapToInt(i -> i).sum())
                .isEqualTo(requests);
    }

    /**
     * It is the first to look at the clocks after a suspension: the others that the session keeps need not wait for the
     * next look.
     */
    @Test
    void whoeverFindsItsTermOverHasTheOthersToldAtOnce() {
        Leadership asked = world.win(election);
        Leadership sibling = world.win(client.election("f"));
        List<EndReason> lost = new ArrayList<>();
        sibling.ended().thenAccept(lost::add);
        world.host.stall("mandate-loop");
        world.pass(Duration.ofMillis(300));
        world.host.suspend(Duration.ofHours(1));

        assertThat(asked.isValid()).isFalse();
        world.host.settle();

        assertThat(lost).containsExactly(EndReason.LEASE_RAN_OUT);
    }

    // ---- observing ----

    @Test
    void whatIsKnownHasAnAge() {
        Observing observing = election.observe(view -> {});
        assertThat(observing.view()).isInstanceOf(LeaderView.Unknown.class);
        world.passUntil(() -> observing.view() instanceof LeaderView.Vacant);
        world.host.stall("mandate-loop");

        world.pass(World.LEASE.minus(observing.view().age()).minusNanos(1));
        assertThat(observing.view()).isEqualTo(new LeaderView.Vacant(World.LEASE.minusNanos(1)));
        world.pass(Duration.ofNanos(1));

        assertThat(observing.view()).isEqualTo(new LeaderView.Unknown(World.LEASE));
    }

    /** Whoever leads knows who leads, however long the store has been silent about this record. */
    @Test
    void whoLeadsKnowsTheLeader() {
        Leadership leadership = world.win(election, "here");
        for (int i = 0; i < 40; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(leadership.isValid()).isTrue();
            assertThat(election.view().leader().orElseThrow().value()).isEqualTo("here");
        }
    }

    @Test
    void whoNeitherStandsNorObservesAsksTheStore() {
        election.view();
        int reads = world.store.requests.get("read");
        election.view();
        assertThat(world.store.requests.get("read")).isEqualTo(reads + 1);
        Observing observing = election.observe(view -> {});
        world.pass(Duration.ofMillis(10));
        reads = world.store.requests.get("read");
        election.view();
        assertThat(world.store.requests.get("read")).isEqualTo(reads);

        observing.close();
        world.host.settle();
        reads = world.store.requests.get("read");
        election.view();

        assertThat(world.store.requests.get("read")).isEqualTo(reads + 1);
    }

    @Test
    void aCandidacyOfATaskIsOverForWhoeverAsks() throws Exception {
        Candidacy candidacy = election.runWhileLeader("v", leadership -> {});
        assertThat(candidacy.await(Duration.ofSeconds(1))).isTrue();
        candidacy.await();

        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(candidacy.status().reason())
                .isEqualTo("this candidacy is over; its last term ended: the task returned");
        assertThat(candidacy.status().fencingToken()).isEmpty();
        candidacy.close();
    }

    @Test
    void aCandidacyThatIsOverEndsNoTermOfALaterOne() throws Exception {
        Candidacy former = election.runWhileLeader("v", leadership -> {});
        former.await();
        Leadership leadership = world.win(election);

        former.close();

        assertThat(leadership.isValid()).isTrue();
    }

    @Test
    void aTaskMayCloseItsLeadershipAndStandsAgain() {
        List<Leadership> terms = new ArrayList<>();
        Candidacy candidacy = election.runWhileLeader("v", leadership -> {
            terms.add(leadership);
            leadership.close();
            assertThat(leadership.isValid()).isFalse();
        });
        world.passUntil(() -> terms.size() == 2);

        assertThat(((WonLeadership) terms.get(0)).reason()).isEqualTo(EndReason.RESIGNED);
        assertThat(candidacy.status().state()).isNotEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    @Test
    void aCandidacyThatNeverWonHasNoLastTerm() throws Exception {
        world.win(world.client("b", world.store.another()).election("e"));
        Candidacy candidacy = election.runWhileLeader("v", leadership -> {});
        assertThat(candidacy.await(Duration.ofSeconds(1))).isFalse();
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.FOLLOWING);

        candidacy.close();

        assertThat(candidacy.status().reason()).isEqualTo("this candidacy is over");
        assertThat(election.candidacy()).isNull();
    }
}
