package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.Now;
import org.junit.jupiter.api.Test;

class AnsweredTest {
    private long nanos = 100;
    private Runnable stop = () -> {};
    private final Answered answered = new Answered(40);

    /** Whoever looks may be stopped before, for as long as {@link #stop} takes. */
    private long clock() {
        stop.run();
        return nanos;
    }

    private Now now() {
        return new Now(nanos, nanos, 0);
    }

    private void heard(long asked) {
        answered.heard(asked, now());
        answered.known();
    }

    @Test
    void agesCountFromTheOpeningUntilSomethingIsAnswered() {
        assertThat(answered.isNever()).isTrue();
        assertThat(answered.ageNanos(this::clock)).isEqualTo(60);
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(60);
    }

    @Test
    void anAnswerIsYoungerThanItsQuestion() {
        heard(70);
        nanos = 110;
        assertThat(answered.isNever()).isFalse();
        assertThat(answered.ageNanos(this::clock)).isEqualTo(10);
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(40);
    }

    @Test
    void anEarlierQuestionThatIsAnsweredLaterMakesNothingOlder() {
        heard(70);
        heard(60);
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(30);
    }

    @Test
    void anAnswerCountsOnceItIsKnown() {
        answered.heard(70, now());
        assertThat(answered.isNever()).isTrue();
        assertThat(answered.ageNanos(this::clock)).isEqualTo(60);
        nanos = 110;

        answered.known();
        assertThat(answered.ageNanos(this::clock)).isEqualTo(10);
        answered.known();

        assertThat(answered.ageNanos(this::clock)).isEqualTo(10);
    }

    @Test
    void anAnswerThatWasMissedNeverCounts() {
        answered.heard(70, now());
        answered.missed();
        answered.known();

        assertThat(answered.isNever()).isTrue();
    }

    @Test
    void whoeverIsStoppedBeforeLookingAtTheClockTakesNoOldAnswerForTheLast() {
        heard(90);
        stop = () -> {
            nanos += 10_000;
            heard(nanos);
            nanos += 10;
        };
        assertThat(answered.ageNanos(this::clock)).isEqualTo(10);
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(10);
    }
}
