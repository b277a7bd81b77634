package dev.mandate.peers.register;

import static dev.mandate.peers.register.Plan.Restarts.FILE_KEPT;
import static dev.mandate.peers.register.Plan.Restarts.FILE_LOST;
import static dev.mandate.peers.register.Plan.Verb.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One call each, and a voter that restarts. All of these states are too many for a build. */
@Tag("long")
class ExplorerRestartTest {
    @Test
    void aHundredThousandStatesWithTheFileKept() {
        explore(FILE_KEPT);
    }

    @Test
    void aHundredThousandStatesWithTheFileLost() {
        explore(FILE_LOST);
    }

    private static void explore(Plan.Restarts restarts) {
        Explorer explorer = Explorer.explore(
                "two acquires and a restart, " + restarts,
                Plan.of(restarts, false, List.of(ACQUIRE), List.of(ACQUIRE)),
                100_000);
        assertThat(explorer.chosenMax()).isPositive();
    }
}
