package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SystemEntropyTest {
    private final SystemEntropy entropy = new SystemEntropy();

    @Test
    void pausesAreBelowTheirBound() {
        boolean[] drawn = new boolean[10];
        for (int i = 0; i < 1_000; i++) {
            drawn[(int) entropy.below(10)] = true;
        }
        assertThat(drawn).doesNotContain(false);
        // Unlike other entropies, it has a below() of its own, so EntropyTest does not cover these.
        assertThat(entropy.below(1)).isZero();
        assertThat(entropy.below(0)).isZero();
        assertThat(entropy.below(-5)).isZero();
    }

    @Test
    void identifiersDiffer() {
        assertThat(entropy.nextId()).isNotEqualTo(entropy.nextId());
    }
}
