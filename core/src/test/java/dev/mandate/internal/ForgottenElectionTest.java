package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Election;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.engine.CandidateMachine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An election that nobody takes part in is forgotten in time, and taken up again as if it had not been. */
class ForgottenElectionTest {
    private final World world = World.withSessions();

    private void observeOnce(Election election) {
        election.observe(view -> {}).close();
        world.pass(Duration.ofMillis(5));
    }

    /** Whoever has the object of a forgotten election goes on as if nothing had happened. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anObjectOfAForgottenElectionGoesOnWorking(int how) {
        Client client = world.client("a");
        Election kept = client.election("kept");
        switch (how) {
            case 0 -> world.win(kept).close();
            case 1 -> observeOnce(kept);
            default -> assertThat(kept.view()).isInstanceOf(LeaderView.Vacant.class);
        }
        for (int i = 0; i < 2 * CandidateMachine.IDLE_MAX; i++) {
            observeOnce(client.election("job-" + i));
        }
        world.pass(Duration.ofMinutes(2));

        assertThat(client.election("kept")).isSameAs(kept);
        Leadership again = world.win(kept);

        assertThat(again.isValid()).isTrue();
        assertThat(kept.status().isLeader()).isTrue();
        assertThat(kept.view()).isInstanceOf(LeaderView.Led.class);
        world.pass(Duration.ofMinutes(1));
        assertThat(again.isValid()).isTrue();
    }

    /**
     * Where observers judge, a dead leader is outlived in small steps, too: what was seen is remembered from one to the
     * next.
     */
    @Test
    void whoeverStandsForASecondAtATimeFollowsADeadLeader() throws InterruptedException {
        World judged = World.judged();
        judged.win(judged.client("a").election("e"));
        Client client = judged.client("b");
        judged.host.stall("mandate-loop-a");
        int tries = 1;

        while (client.election("e").campaign("v", Duration.ofSeconds(1)).isEmpty()) {
            judged.pass(Duration.ofSeconds(1));
            tries++;
        }

        assertThat(tries).isBetween(5, 10);
    }

    /** It was told what the client knew; the store is silent from then on. */
    @Test
    void whoComesWhileItIsBeingForgottenIsToldThatNothingIsKnown() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        Election election = client.election("e");
        List<Observing> others = new ArrayList<>();
        for (int i = 0; i <= CandidateMachine.IDLE_MAX; i++) {
            others.add(client.election("job-" + i).observe(view -> {}));
        }
        Observing first = election.observe(view -> {});
        world.passUntil(() -> first.view() instanceof LeaderView.Led);
        world.pass(Duration.ofSeconds(3));
        first.close();
        world.host.settle();
        others.stream().skip(2).forEach(Observing::close);
        world.pass(Duration.ofMillis(1500));
        world.host.stall("mandate-loop-b");
        others.stream().limit(2).forEach(Observing::close);
        List<String> told = new ArrayList<>();
        election.observe(view -> told.add(view.getClass().getSimpleName()));
        world.host.settle();
        assertThat(told).containsExactly("Led");
        connection.hangs = true;
        connection.isDeaf = true;

        world.host.resume();
        world.pass(World.LEASE.multipliedBy(5));

        assertThat(election.view()).isInstanceOf(LeaderView.Unknown.class);
        assertThat(told).containsExactly("Led", "Unknown");
    }

    @Test
    void aListenerOfAForgottenElectionIsToldAgain() {
        Client client = world.client("a");
        Election kept = client.election("kept");
        observeOnce(kept);
        for (int i = 0; i < 2 * CandidateMachine.IDLE_MAX; i++) {
            observeOnce(client.election("job-" + i));
        }
        StringBuilder told = new StringBuilder();

        kept.observe(view -> told.append(view.getClass().getSimpleName()).append(' '));
        world.pass(Duration.ofSeconds(2));
        world.win(kept);
        world.pass(Duration.ofSeconds(1));

        assertThat(told.toString()).endsWith("Vacant Led ");
    }
}
