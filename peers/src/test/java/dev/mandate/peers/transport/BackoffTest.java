package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void pausesDoubleUpToTheBound() {
        Backoff backoff = new Backoff(10, 70);
        assertThat(new long[] {backoff.next(0), backoff.next(0), backoff.next(0), backoff.next(0), backoff.next(0)})
                .containsExactly(10, 20, 40, 70, 70);
        backoff.reset();
        assertThat(backoff.next(0)).isEqualTo(10);
    }

    @Test
    void chanceShortensAPauseDownToAHalf() {
        assertThat(new Backoff(100, 100).next(0.5)).isEqualTo(75);
        assertThat(new Backoff(100, 100).next(1)).isEqualTo(50);
    }
}
