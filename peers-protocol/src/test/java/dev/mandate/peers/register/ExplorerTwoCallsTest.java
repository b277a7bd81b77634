package dev.mandate.peers.register;

import static dev.mandate.peers.register.Plan.Restarts.NONE;
import static dev.mandate.peers.register.Plan.Verb.ACQUIRE;
import static dev.mandate.peers.register.Plan.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every state of two calls of one proposer beside one of another. */
@Tag("long")
@Order(1)
class ExplorerTwoCallsTest {
    @Test
    void everyStateOfTwoCallsAndOne() {
        Explorer explorer = Explorer.explore(
                "an acquire and a release beside an acquire",
                Plan.of(NONE, false, List.of(ACQUIRE, RELEASE), List.of(ACQUIRE)),
                20_000_000);
        assertThat(explorer.isAll()).isTrue();
        assertThat(explorer.represented()).isGreaterThan(1_000_000);
        assertThat(explorer.chosenMax()).isEqualTo(2);
    }
}
