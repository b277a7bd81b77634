package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InstantsTest {
    private static final Duration TICK = Duration.ofMillis(40);
    private static final Instants TERM = new Instants(1_000_000, 5_000);

    @Test
    void aTickLaterProlongs() {
        assertThat(new Instants(1_000_040, 5_040).prolongs(TERM, TICK)).isTrue();
        assertThat(new Instants(1_000_039, 5_039).prolongs(TERM, TICK)).isFalse();
    }

    @Test
    void aWallClockThatWasSetBackDoesNotKeepATermFromBeingProlonged() {
        assertThat(new Instants(940_000, 5_040).prolongs(TERM, TICK)).isTrue();
    }

    @Test
    void aWallClockThatWasSetForwardProlongsNothing() {
        assertThat(new Instants(1_060_000, 5_039).prolongs(TERM, TICK)).isFalse();
    }
}
