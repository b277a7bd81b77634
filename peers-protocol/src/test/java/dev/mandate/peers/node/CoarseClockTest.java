package dev.mandate.peers.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.Now;
import dev.mandate.peers.order.Race;
import dev.mandate.peers.register.Group;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The clock that counts suspensions may stand still for a hundredth of a second, and no timer may spin meanwhile. */
class CoarseClockTest {
    @Test
    void aDeadlineJustAheadOfACoarseClockIsNotAwaitedInSteps() {
        Random random = new Random(1);
        NodeSettings settings = NodeSettings.of(new Group(3), NodeSettings.GUEST, Duration.ofSeconds(3));
        Node node = new Node(settings, null, new Race(), random::nextLong);
        Now now = new Now(1_000, 100, 0);
        node.begin(now);

        node.step(new NodeEvent.Begin(1, new Call.Read(RecordKey.election("a")), 101), now);

        assertThat(node.wakeAtNanos(now))
                .isBetween(now.monotonicNanos() + 1_000_000, now.monotonicNanos() + 10_000_000);
        assertThat(node.wakeAtNanos(new Now(2_000, 101, 0))).isEqualTo(2_000);
    }
}
