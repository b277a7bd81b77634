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

    @Test
    void agesCountFromTheOpeningUntilSomethingIsAnswered() {
        assertThat(answered.isNever()).isTrue();
        assertThat(answered.ageNanos(this::clock)).isEqualTo(60);
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(60);
    }

    @Test
    void anAnswerIsYoungerThanItsQuestion() {
        answered.heard(70, now());
        nanos = 110;
        assertThat(answered.isNever()).isFalse();
        assertThat(answered.ageNanos(this::clock)).isEqualTo(10);
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(40);
    }

    @Test
    void anEarlierQuestionThatIsAnsweredLaterMakesNothingOlder() {
        answered.heard(70, now());
        answered.heard(60, now());
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(30);
    }

    @Test
    void whoeverIsStoppedBeforeLookingAtTheClockTakesNoOldAnswerForTheLast() {
        answered.heard(90, now());
        stop = () -> {
            nanos += 10_000;
            answered.heard(nanos, now());
            nanos += 10;
        };
        assertThat(answered.ageNanos(this::clock)).isEqualTo(10);
        assertThat(answered.questionAgeNanos(this::clock)).isEqualTo(10);
    }
}
