package dev.mandate.peers.register;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every state of one call each. */
@Tag("long")
class ExplorerTest {
    private static final long STATES_MAX = 5_000_000;

    @Test
    void everyStateOfTwoAcquires() {
        Explorer explorer = Explorer.explore("two acquires", Plan.TWO_ACQUIRES, STATES_MAX);
        assertThat(explorer.isAll()).isTrue();
    }

    @Test
    void everyStateOfAReleaseAndARead() {
        Explorer explorer = Explorer.explore("a release and a read", Plan.RELEASE_AND_READ, STATES_MAX);
        assertThat(explorer.isAll()).isTrue();
        assertThat(explorer.chosenMax()).isGreaterThan(2);
    }

    @Test
    void everyStateOfAReleaseAndAnAcquireOnItBeforeItIsChosen() {
        Explorer explorer = Explorer.explore("a release and an acquire on it", Plan.RELEASE_AND_TAKE, STATES_MAX);
        assertThat(explorer.isAll()).isTrue();
        assertThat(explorer.chosenMax()).isGreaterThan(2);
    }
}
