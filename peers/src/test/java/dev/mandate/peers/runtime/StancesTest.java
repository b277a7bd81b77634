package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.order.Bully;
import dev.mandate.peers.order.OrderAction;
import dev.mandate.peers.order.OrderEvent;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StancesTest {
    private static final RecordKey KEY = RecordKey.election("e");
    private static final Stance ABSENT = Stance.Absent.INSTANCE;
    private static final Stance SEEKING = Stance.Seeking.INSTANCE;

    private final List<Stance> said = new ArrayList<>();
    private final Stances stances = new Stances((key, stance) -> said.add(stance));
    private final Object one = new Object();
    private final Object other = new Object();

    @Test
    void whoLeadsStandsForAll() {
        stances.stands(one, KEY, new Stance.Following(3));
        stances.stands(other, KEY, SEEKING);
        stances.stands(one, KEY, new Stance.Settling(4));
        stances.stands(one, KEY, new Stance.Leading(4));
        stances.stands(other, KEY, new Stance.Following(4));
        stances.stands(one, KEY, ABSENT);
        stances.stands(other, KEY, ABSENT);

        assertThat(said)
                .containsExactly(
                        new Stance.Following(3),
                        SEEKING,
                        new Stance.Settling(4),
                        new Stance.Leading(4),
                        new Stance.Following(4),
                        ABSENT);
    }

    @Test
    void whoFollowsTheNewestTermIsHeard() {
        stances.stands(one, KEY, new Stance.Following(7));
        stances.stands(other, KEY, new Stance.Following(5));
        stances.stands(one, KEY, new Stance.Following(7));

        assertThat(said).containsExactly(new Stance.Following(7));
    }

    /** The first one's place was told before the second one asked. */
    @Test
    void whoSeeksIsAlwaysSaid() {
        stances.stands(one, KEY, SEEKING);
        stances.stands(other, KEY, SEEKING);

        assertThat(said).containsExactly(SEEKING, SEEKING);
    }

    @Test
    void whoLeavesStandsNowhere() {
        stances.stands(one, KEY, SEEKING);
        stances.stands(one, RecordKey.election("f"), SEEKING);
        said.clear();

        stances.leave(one);
        stances.leave(other);

        assertThat(said).containsExactly(ABSENT, ABSENT);
    }

    @Test
    void theSecondClientOfAMemberIsToldItsPlace() {
        Bully bully = new Bully(2, 3, new OrderTiming(1_000), () -> 7, false);
        List<OrderAction> told = new ArrayList<>();
        long[] now = {0};
        Stances seeking = new Stances(
                (key, stance) -> told.addAll(bully.step(new OrderEvent.StanceChanged(key, stance), ++now[0])));
        seeking.stands(one, KEY, SEEKING);
        assertThat(told).contains(new OrderAction.Placed(KEY, 0));
        told.clear();

        seeking.stands(other, KEY, SEEKING);

        assertThat(told).containsExactly(new OrderAction.Placed(KEY, 0));
    }
}
