package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.LeaderView;
import dev.mandate.engine.View;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is known of a leader, and how old it is, when an answer comes in the midst of looking. */
class KnownLeaderTest {
    private final World world = World.withSessions();
    private final KnownLeader leader = new KnownLeader(world.client("a").context());

    private void answered(View view) {
        leader.answered().heard(world.host.nanos(), world.host.now());
        leader.know(view);
    }

    private LeaderView present() {
        return leader.present(known -> false);
    }

    @Test
    void whatIsKnownGrowsOldUntilItIsUnknown() {
        assertThat(present()).isInstanceOf(LeaderView.Unknown.class);
        answered(View.VACANT);
        assertThat(present()).isEqualTo(new LeaderView.Vacant(Duration.ZERO));

        world.pass(World.LEASE.minusNanos(1));
        assertThat(present()).isEqualTo(new LeaderView.Vacant(World.LEASE.minusNanos(1)));
        assertThat(leader.present(known -> true).age()).isEqualTo(World.LEASE.minusNanos(1));
        world.pass(Duration.ofNanos(1));

        assertThat(present()).isEqualTo(new LeaderView.Unknown(World.LEASE));
        assertThat(leader.present(known -> true)).isEqualTo(new LeaderView.Vacant(World.LEASE));
    }

    @Test
    void anAnswerMakesNothingYoungerBeforeTheMachineHasTakenIt() {
        answered(View.VACANT);
        world.pass(Duration.ofSeconds(1));

        leader.answered().heard(world.host.nanos(), world.host.now());
        assertThat(present().age()).isEqualTo(Duration.ofSeconds(1));
        leader.refreshed();

        assertThat(present().age()).isZero();
    }

    @Test
    void anAnswerThatComesBetweenTwoReadsVouchesForNothingThatItReplaces() {
        answered(View.VACANT);
        world.pass(Duration.ofSeconds(1));
        world.host.onNanos = () -> {
            world.host.onNanos = () -> {};
            answered(View.UNKNOWN);
        };

        assertThat(present()).isInstanceOf(LeaderView.Unknown.class);
    }
}
