package dev.mandate.peers.register;

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

    private static long explore(String name, Explorer.Plan plan) {
        Explorer explorer = new Explorer(plan);
        long states = explorer.explore(20_000_000);
        System.out.println("explored " + name + ": " + states + " states, " + explorer.transitions()
                + " steps, at most " + explorer.chosenMax() + " chosen");
        return states;
    }

    private static Explorer.Plan plan(
            Explorer.Restarts restarts,
            boolean isHeld,
            int rounds,
            List<Explorer.Verb> first,
            List<Explorer.Verb> second) {
        List<Explorer.Proposer> both = List.of(new Explorer.Proposer(20, first), new Explorer.Proposer(10, second));
        return new Explorer.Plan(both, isHeld, restarts, restarts != NONE, rounds, 5);
    }

    @Test
    void oneCallEach() {
        assertThat(explore("two acquires", TWO_ACQUIRES)).isGreaterThan(10_000);
        assertThat(explore("a release and a read", RELEASE_AND_READ)).isGreaterThan(100_000);
    }
}
