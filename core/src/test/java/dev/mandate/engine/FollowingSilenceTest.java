package dev.mandate.engine;

import static dev.mandate.engine.FollowedChange.UNSEEN;
import static dev.mandate.engine.Follower.LOOK;
import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.held;
import static dev.mandate.engine.Follower.vacant;
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
        assertThat(f.silentNanos).isEqualTo(2 * SECOND);
    }

    @Test
    void orToTheNextTerm() {
        Follower f = renewed();
        f.hint(held("a", 5, 9, "A9"));
        assertThat(f.log).containsExactly("~a");
        assertThat(f.silentNanos).isEqualTo(2 * SECOND);
        f.pass(SECOND);
        f.hint(held("a", 6, 10, "A10"));
        assertThat(f.silentNanos).as("of the second term no renewal was seen").isEqualTo(UNSEEN);
    }

    @Test
    void orToTheListingThatDoesNotShowIt() {
        Follower f = renewed();
        long before = f.now;
        f.passUntilAsked();
        f.answer(held("b", 2, 2, "B"));
        assertThat(f.log).containsExactly("-a");
        assertThat(f.silentNanos).isEqualTo(2 * SECOND + f.now - before);
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
        assertThat(f.silentNanos).isEqualTo(f.now - renewed).isBetween(10 * SECOND, 10 * SECOND + LOOK);
    }

    /** As where one session keeps the lease and its records never change. */
    @Test
    void whereNoRenewalWasSeenItIsNotKnown() {
        Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
        f.pass(60 * SECOND);
        f.hint(vacant("a"));
        assertThat(f.silentNanos).isEqualTo(UNSEEN);
    }

    /** A later term is no renewal of the one before. */
    @Test
    void anotherTermIsNoRenewal() {
        Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
        f.hint(held("a", 5, 9, "A9"));
        f.pass(SECOND);
        f.hint(vacant("a"));
        assertThat(f.silentNanos).isEqualTo(UNSEEN);
    }

    /** Nor is the first sight of a term whose vacancy was seen before. */
    @Test
    void norIsATermAfterAVacancy() {
        Follower f = renewed();
        f.hint(vacant("a"));
        f.hint(held("a", 1, 3, "A"));
        f.pass(SECOND);
        f.hint(vacant("a"));
        assertThat(f.silentNanos).isEqualTo(UNSEEN);
    }
}
