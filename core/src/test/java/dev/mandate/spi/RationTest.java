package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Ten lines, then one in a while, and none is forgotten. */
class RationTest {
    private static final long SPACING = 1_000;

    private final Ration ration = new Ration(SPACING);

    private void sayTen() {
        for (int i = 0; i < 10; i++) {
            assertThat(ration.happened(5)).isEqualTo(1);
        }
    }

    @Test
    void afterTenOneIsSaidPerSpacingAndCountsTheRest() {
        sayTen();

        assertThat(ration.happened(5)).isZero();
        assertThat(ration.happened(5 + SPACING - 1)).isZero();
        assertThat(ration.happened(5 + SPACING)).isEqualTo(3);
        assertThat(ration.happened(5 + SPACING + 1)).isZero();
        assertThat(ration.happened(5 + 2 * SPACING)).isEqualTo(2);
    }

    @Test
    void aLineThatIsSaidTakesFromTheRation() {
        for (int i = 0; i < 10; i++) {
            assertThat(ration.maySay(5)).isTrue();
        }

        assertThat(ration.maySay(5)).isFalse();
        assertThat(ration.happened(5)).isZero();
        assertThat(ration.maySay(5 + SPACING)).isTrue();
    }

    @Test
    void whatWasNotSaidIsCountedOnce() {
        sayTen();
        ration.happened(5);
        ration.happened(5);

        assertThat(ration.unsaid()).isEqualTo(2);
        assertThat(ration.unsaid()).isZero();
    }

    @Test
    void whatWasOverForLongIsSaidFromTheStart() {
        sayTen();
        ration.renew();

        sayTen();
        assertThat(ration.happened(5)).isZero();
    }
}
