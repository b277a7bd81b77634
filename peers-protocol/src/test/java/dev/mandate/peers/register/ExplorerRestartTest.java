package dev.mandate.peers.register;

import static dev.mandate.peers.register.Plan.Restarts.FILE_KEPT;
import static dev.mandate.peers.register.Plan.Restarts.FILE_LOST;
import static dev.mandate.peers.register.Plan.Verb.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every state of one call each while a voter restarts, at any time, on a disk that may not have written yet. */
@Tag("long")
class ExplorerRestartTest {
    @Test
    void everyStateWithTheFileKept() {
        explore(FILE_KEPT);
    }

    @Test
    void everyStateWithTheFileLost() {
        explore(FILE_LOST);
    }

    private static void explore(Plan.Restarts restarts) {
        Explorer explorer = Explorer.explore(
                "two acquires and a restart, " + restarts,
                Plan.of(restarts, false, List.of(ACQUIRE), List.of(ACQUIRE)),
                10_000_000);
        assertThat(explorer.isAll()).isTrue();
        assertThat(explorer.represented()).isGreaterThan(500_000);
        assertThat(explorer.chosenMax()).isEqualTo(2);
    }
}
