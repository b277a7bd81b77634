package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a bucket has been missing for long enough to be made again. */
class AbsenceTest {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private final Absence absence = new Absence();

    private void saw(long askedMillis, long answeredMillis) {
        absence.saw(TimeUnit.MILLISECONDS.toNanos(askedMillis), TimeUnit.MILLISECONDS.toNanos(answeredMillis), 7);
    }

    @Test
    void countsFromTheFirstAnswer() {
        assertThat(absence.isLongerThan(Duration.ZERO)).isFalse();
        saw(-100, 0);
        for (int i = 1; i <= 5; i++) {
            saw(200L * i - 10, 200L * i);
            assertThat(absence.isLongerThan(LEASE)).isFalse();
        }
        saw(1_000, 1_001);
        assertThat(absence.isLongerThan(LEASE)).isTrue();
    }

    /** Somebody may have led in a bucket that was there in the gap. */
    @Test
    void beginsAnewAfterAGap() {
        saw(0, 1);
        saw(400, 401);
        saw(800, 900);
        assertThat(absence.isLongerThan(Duration.ofMillis(898))).isTrue();
        saw(1_290, 1_301);
        assertThat(absence.isLongerThan(Duration.ZERO)).isFalse();
        saw(1_600, 1_700);
        assertThat(absence.isLongerThan(Duration.ofMillis(398))).isTrue();
        assertThat(absence.isLongerThan(Duration.ofMillis(399))).isFalse();
    }

    @Test
    void beginsAnewWhenNobodyLooked() {
        saw(0, 1);
        saw(400, 401);
        assertThat(absence.isOf(TimeUnit.MILLISECONDS.toNanos(400))).isTrue();
        assertThat(absence.isOf(0)).isFalse();
        absence.end();
        assertThat(absence.isLongerThan(Duration.ZERO)).isFalse();
        saw(450, 451);
        assertThat(absence.isLongerThan(Duration.ZERO)).isFalse();
        assertThat(absence.firstRevision()).isGreaterThan(7);
    }

    @Test
    void theRevisionStaysTheSame() {
        saw(0, 1);
        long first = absence.firstRevision();
        saw(400, 401);
        saw(9_000, 9_001);
        assertThat(absence.firstRevision()).isEqualTo(first);
    }
}
