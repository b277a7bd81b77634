package dev.mandate.engine;

import static dev.mandate.engine.Follower.LOOK;
import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.held;
import static dev.mandate.engine.Follower.vacant;
import static dev.mandate.engine.Silence.UNSEEN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long a holder had been silent when it had gone. */
class FollowingSilenceTest {
    private static Follower renewed() {
        Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
        f.pass(SECOND);
        f.hint(held("a", 1, 3, "A"));
        f.pass(2 * SECOND);
        return f;
    }

    @Test
    void itIsCountedFromTheLastRenewalToTheVacancy() {
        Follower f = renewed();
        f.hint(vacant("a"));
        assertThat(f.log).containsExactly("-a");
        assertThat(f.silence).isEqualTo(new Silence(2 * SECOND, 2 * SECOND, 2 * SECOND));
    }

    @Test
    void orToTheNextTerm() {
        Follower f = renewed();
        f.hint(held("a", 5, 9, "A9"));
        assertThat(f.log).containsExactly("~a");
        assertThat(f.silence).isEqualTo(new Silence(2 * SECOND, 2 * SECOND, 2 * SECOND));
        f.pass(SECOND);
        f.hint(held("a", 6, 10, "A10"));
        assertThat(f.silence).as("of the second term no renewal was seen").isEqualTo(UNSEEN);
    }

    @Test
    void orToTheListingThatDoesNotShowIt() {
        Follower f = renewed();
        long before = f.now;
        f.passUntilAsked();
        f.answer(held("b", 2, 2, "B"));
        assertThat(f.log).containsExactly("-a");
        assertThat(f.silence.seenNanos()).isEqualTo(2 * SECOND + f.now - before);
    }

    @Test
    void whereObserversJudgeItIsTheWholeWait() {
        Follower f =
                Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", Follower.L.multipliedBy(9)));
        f.passUntilAsked();
        f.answer(held("a", 1, 2, "A"), held("b", 2, 2, 2, "B", Follower.L.multipliedBy(9)));
        long renewed = f.now;
        while (f.told.containsKey("a")) {
            f.passUntilAsked();
            f.answer(held("a", 1, 2, "A"), held("b", 2, 2, 2, "B", Follower.L.multipliedBy(9)));
        }
        assertThat(f.silence.seenNanos()).isEqualTo(f.now - renewed).isBetween(10 * SECOND, 10 * SECOND + LOOK);
        assertThat(f.silence.leastNanos()).isBetween(10 * SECOND, f.silence.seenNanos());
    }

    /** It may have renewed all the time since the last page was asked for. */
    @Test
    void whereNobodyLooksNoSilenceIsSeen() {
        Follower f = judged(1);
        f.answer(a(2), b());
        long shown = f.now;
        f.pass(7 * SECOND);
        f.hint(vacant("a"));
        assertThat(f.silence.leastNanos()).isZero();
        assertThat(f.silence.seenNanos()).isEqualTo(f.now - shown);
        assertThat(f.silence.mostNanos()).as("since the page before").isGreaterThan(f.now - shown);
    }

    /** An outage of whoever follows is no sign of life. */
    @Test
    void whereALookShowsTheSameAfterABreakTheSilenceGoesOn() {
        Follower f = judged(1);
        f.answer(a(2), b());
        long renewed = f.now;
        f.passUntilAsked();
        f.pass(6 * SECOND);
        while (f.now < renewed + 9 * SECOND) {
            f.passUntilAsked();
            f.answer(a(2), b());
        }
        f.hint(held("a", 5, 9, "A9"));
        assertThat(f.silence.seenNanos()).isEqualTo(f.now - renewed);
        assertThat(f.silence.leastNanos()).isGreaterThan(7 * SECOND);
    }

    private static Follower judged(long sign) {
        Follower f = Follower.judging().knowing(a(sign), b());
        f.passUntilAsked();
        return f;
    }

    private static dev.mandate.spi.Observation.Held a(long sign) {
        return held("a", 1, sign, "A");
    }

    private static dev.mandate.spi.Observation.Held b() {
        return held("b", 2, 2, 2, "B", Follower.L.multipliedBy(9));
    }

    /** As where one session keeps the lease and its records never change. */
    @Test
    void whereNoRenewalWasSeenItIsNotKnown() {
        Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
        f.pass(60 * SECOND);
        f.hint(vacant("a"));
        assertThat(f.silence).isEqualTo(UNSEEN);
    }

    /** A later term is no renewal of the one before. */
    @Test
    void anotherTermIsNoRenewal() {
        Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
        f.hint(held("a", 5, 9, "A9"));
        f.pass(SECOND);
        f.hint(vacant("a"));
        assertThat(f.silence).isEqualTo(UNSEEN);
    }

    /** Nor is the first sight of a term whose vacancy was seen before. */
    @Test
    void norIsATermAfterAVacancy() {
        Follower f = renewed();
        f.hint(vacant("a"));
        f.hint(held("a", 1, 3, "A"));
        f.pass(SECOND);
        f.hint(vacant("a"));
        assertThat(f.silence).isEqualTo(UNSEEN);
    }
}
