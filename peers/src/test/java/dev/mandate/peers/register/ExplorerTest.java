package dev.mandate.peers.register;

import static dev.mandate.peers.register.Explorer.Restarts.FILE_KEPT;
import static dev.mandate.peers.register.Explorer.Restarts.FILE_LOST;
import static dev.mandate.peers.register.Explorer.Restarts.NONE;
import static dev.mandate.peers.register.Explorer.Verb.ACQUIRE;
import static dev.mandate.peers.register.Explorer.Verb.READ;
import static dev.mandate.peers.register.Explorer.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every state of three voters and two proposers whose wall clocks differ. */
@Tag("long")
class ExplorerTest {
    static final Explorer.Plan TWO_ACQUIRES = plan(NONE, false, 1, List.of(ACQUIRE), List.of(ACQUIRE));
    static final Explorer.Plan RELEASE_AND_READ = plan(NONE, true, 1, List.of(RELEASE), List.of(READ));

    private static Explorer explore(String name, Explorer.Plan plan, long statesMax) {
        Explorer explorer = new Explorer(plan);
        long states = explorer.explore(statesMax);
        System.out.println("explored " + name + ": " + (explorer.isAll() ? "all " : "a part, ") + states + " states, "
                + explorer.represented() + " with places told apart, " + explorer.transitions() + " steps, at most "
                + explorer.chosenMax() + " chosen");
        return explorer;
    }

    private static Explorer.Plan plan(
            Explorer.Restarts restarts,
            boolean isHeld,
            int rounds,
            List<Explorer.Verb> first,
            List<Explorer.Verb> second) {
        List<Explorer.Proposer> both = List.of(new Explorer.Proposer(20, first), new Explorer.Proposer(10, second));
        return new Explorer.Plan(both, isHeld, restarts, restarts != NONE, rounds, 5, false);
    }

    @Test
    void everyStateOfOneCallEach() {
        Explorer acquires = explore("two acquires", TWO_ACQUIRES, 5_000_000);
        assertThat(acquires.isAll()).isTrue();
        Explorer read = explore("a release and a read", RELEASE_AND_READ, 5_000_000);
        assertThat(read.isAll()).isTrue();
        assertThat(read.chosenMax()).isGreaterThan(2);
    }

    @Test
    void everyStateOfTwoCallsAndOne() {
        Explorer explorer = explore(
                "an acquire and a release beside an acquire",
                plan(NONE, false, 1, List.of(ACQUIRE, RELEASE), List.of(ACQUIRE)),
                20_000_000);
        assertThat(explorer.isAll()).isTrue();
        assertThat(explorer.represented()).isGreaterThan(1_000_000);
        assertThat(explorer.chosenMax()).isEqualTo(2);
    }

    /** All of these states are too many for a build. */
    @Test
    void aHundredThousandStatesWithARestart() {
        for (Explorer.Restarts restarts : List.of(FILE_KEPT, FILE_LOST)) {
            Explorer explorer = explore(
                    "two acquires and a restart, " + restarts,
                    plan(restarts, false, 1, List.of(ACQUIRE), List.of(ACQUIRE)),
                    100_000);
            assertThat(explorer.chosenMax()).isPositive();
        }
    }
}
