package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Id;
import org.junit.jupiter.api.Test;

/** What machines make of the randomness that is handed to them. */
class EntropyTest {

    @Test
    void aNumberBelowABoundIsBelowIt() {
        Entropy entropy = new SeededEntropy(1);
        boolean[] drawn = new boolean[10];
        for (int i = 0; i < 10_000; i++) {
            drawn[(int) entropy.below(10)] = true;
            assertThat(entropy.below(Long.MAX_VALUE)).isBetween(0L, Long.MAX_VALUE - 1);
        }

        assertThat(drawn).containsOnly(true);
        assertThat(entropy.below(1)).isZero();
        assertThat(entropy.below(0)).isZero();
        assertThat(entropy.below(-5)).isZero();
    }

    @Test
    void jitterIsAtMostAFifthInEitherDirection() {
        Entropy entropy = new SeededEntropy(2);
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (int i = 0; i < 100_000; i++) {
            long jittered = entropy.jittered(1_000);
            least = Math.min(least, jittered);
            most = Math.max(most, jittered);
        }

        assertThat(least).isEqualTo(800);
        assertThat(most).isEqualTo(1_200);
        assertThat(entropy.jittered(0)).isZero();
    }

    /** No identifier is nobody's, whatever is drawn. */
    @Test
    void noIdentifierIsNobodys() {
        assertThat(((Entropy) () -> 0L).nextId()).isNotEqualTo(Id.NONE);
        assertThat(((Entropy) () -> -1L).nextId()).isEqualTo(new Id(-1, -1));
        Entropy entropy = new SeededEntropy(3);
        assertThat(entropy.nextId()).isNotEqualTo(entropy.nextId());
    }
}
