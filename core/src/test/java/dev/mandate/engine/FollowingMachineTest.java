package dev.mandate.engine;

import static dev.mandate.engine.Follower.CONFIRM;
import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.TIMING;
import static dev.mandate.engine.Follower.held;
import static dev.mandate.engine.Follower.key;
import static dev.mandate.engine.Follower.vacant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * What follows a prefix, rule by rule: what is told, and in which order it happened. See {@link Follower} for the
 * figures.
 */
class FollowingMachineTest {
    @Nested
    class TheWholeFirst {
        @Test
        void nothingIsToldBeforeTheLastPage() {
            Follower f = Follower.removing().start(true);
            assertThat(f.asked().from()).isEqualTo(Cursor.START);
            assertThat(f.asked().timeoutNanos()).isEqualTo(TIMING.requestTimeoutNanos());
            f.answerSome("b", held("a", 1, 1, "A"));
            assertThat(f.asked().from()).isEqualTo(new Cursor("b"));
            assertThat(f.told).isNull();
            assertThat(f.machine().isKnown()).isFalse();

            f.answer(held("b", 2, 2, "B"));

            assertThat(f.told).containsOnlyKeys("a", "b").containsEntry("a", "A");
            assertThat(f.machine().isKnown()).isTrue();
            assertThat(f.machine().size()).isEqualTo(2);
            assertThat(f.machine().confirmedNanos()).isEqualTo(f.now);
        }

        @Test
        void anEmptyOneIsToldAtOnce() {
            Follower f = Follower.removing().start(true);

            f.answer();

            assertThat(f.told).isEmpty();
        }

        @Test
        void hintsAreNoWhole() {
            Follower f = Follower.removing().start(true);

            f.hint(held("b", 2, 2, "B"));

            assertThat(f.told).isNull();
            f.answer(held("a", 1, 1, "A"));
            assertThat(f.told).as("with what came since the page was asked for").containsOnlyKeys("a", "b");
        }

        @Test
        void whatIsNotBelowThePrefixIsNothingToIt() {
            Follower f = Follower.removing().knowing();
            RecordKey other = new RecordKey(RecordKey.REGISTRATIONS, List.of("webapp", "a"));

            f.hint(Observation.held(
                    other,
                    new Follower.At(1),
                    new Follower.At(1),
                    1,
                    held("a", 1, 1, "A").record()));
            f.gap();
            f.answer(Observation.held(
                    other,
                    new Follower.At(1),
                    new Follower.At(1),
                    1,
                    held("a", 1, 1, "A").record()));

            assertThat(f.told).isEmpty();
        }

        @Test
        void startingTwiceIsStartingOnce() {
            Follower f = Follower.removing().start(false);
            f.start(false);

            f.taken();

            assertThat(f.asked()).isNull();
        }
    }

    @Nested
    class Differences {
        @Test
        void onlyTheyAreTold() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"), held("c", 3, 3, "C"));

            f.gap();
            f.answer(held("a", 1, 7, "A"), held("b", 2, 8, "B2"), held("d", 9, 9, "D"));

            assertThat(f.log).containsExactlyInAnyOrder("~b", "-c", "+d");
        }

        @Test
        void aHintCountsAtOnce() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));

            f.hint(held("c", 3, 3, "C"));
            f.hint(held("a", 1, 4, "A2"));
            f.hint(vacant("b"));

            assertThat(f.log).containsExactly("+c", "~a", "-b");
        }

        @Test
        void aHintThatSaysNothingNewIsNotTold() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));

            f.hint(held("a", 1, 1, "A"));
            f.hint(held("a", 1, 2, "A"));
            f.hint(vacant("b"));

            assertThat(f.log).isEmpty();
        }

        @Test
        void whatCannotBeReadIsNotThere() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            Observation foreign =
                    Observation.foreign(key("a"), new Follower.At(9), new Follower.At(9), 9, "nobody's", null);
            Observation other =
                    Observation.foreign(key("b"), new Follower.At(9), new Follower.At(9), 9, "nobody's", null);

            f.hint(foreign);
            assertThat(f.told).containsOnlyKeys("b");
            f.gap();
            f.answerSome("b", foreign);
            f.answer(other, held("c", 3, 3, "C"));

            assertThat(f.told).containsOnlyKeys("c");
        }
    }

    /** "Bases are not ordered": what came first is said by terms, and by when a page was asked for. */
    @Nested
    class Order {
        @Test
        void aHintOfAnEarlierTermIsDropped() {
            Follower f = Follower.removing().knowing(held("a", 5, 5, "A5"));

            f.hint(held("a", 4, 4, "A4"));

            assertThat(f.log).isEmpty();
        }

        @Test
        void aPageThatIsOlderThanAHintDoesNotUndoIt() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"), held("c", 3, 3, "C"));
            f.gap();
            f.hint(held("a", 1, 9, "A2"));
            f.hint(vacant("b"));
            f.hint(held("d", 8, 8, "D"));

            f.answer(held("a", 1, 1, "A"), held("b", 2, 2, "B"), held("c", 3, 3, "C"));

            assertThat(f.told).containsOnlyKeys("a", "c", "d").containsEntry("a", "A2");
            assertThat(f.log).containsExactly("~a", "-b", "+d");
        }

        @Test
        void notEvenThatSomethingIsVacant() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.gap();
            f.hint(held("b", 2, 2, "B"));

            f.answer(held("a", 1, 1, "A"), vacant("b"));

            assertThat(f.told).containsOnlyKeys("a", "b");
        }

        /** The vacancy of what was not known is known, too. */
        @Test
        void norDoesAPageShowWhatAHintSaidIsGone() {
            Follower f = Follower.removing().knowing();
            f.gap();
            f.hint(vacant("a"));

            f.answer(held("a", 1, 1, "A"));

            assertThat(f.told).isEmpty();
        }

        @Test
        void aLaterTermOrTheSameVersionShowsThatAPageIsNewer() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.gap();
            f.hint(held("a", 1, 7, "A2"));
            f.hint(vacant("b"));

            f.answer(held("a", 1, 7, "A2"), held("b", 9, 9, "B9"));

            assertThat(f.told).containsEntry("a", "A2").containsEntry("b", "B9");
        }

        @Test
        void aPageThatWasAskedForAfterwardsDecides() {
            Follower f = Follower.removing().knowing(held("a", 5, 5, "A"));
            f.hint(held("a", 5, 4, "an older one that comes late"));
            f.hint(held("b", 1, 1, "B, which is gone"));
            f.gap();

            f.answer(held("a", 5, 5, "A"));

            assertThat(f.told).containsOnlyKeys("a").containsEntry("a", "A");
        }

        /** A store that was emptied counts from the beginning. */
        @Test
        void evenWithAnEarlierTerm() {
            Follower f = Follower.removing().knowing(held("a", 5, 5, "A5"));
            f.gap();

            f.answer(held("a", 1, 1, "A1"));

            assertThat(f.told).containsEntry("a", "A1");
        }

        @Test
        void aHintIsComparedWithAListingSoon() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));

            f.hint(vacant("a"));

            assertThat(f.passUntilAsked()).isEqualTo(CONFIRM);
            f.answer(held("b", 2, 2, "B"));
            assertThat(f.passUntilAsked()).as("and not again").isEqualTo(30 * SECOND);
        }

        /** So that a service which never rests costs no more than a page in L/3, however many instances it has. */
        @Test
        void aLongListIsComparedLessOften() {
            Follower f = Follower.removing().start(true);
            for (int i = 1; i < 4; i++) {
                f.answerSome("p" + i, held("a" + i, 1, 1, "A"));
            }
            f.answer(held("a", 1, 1, "A"));

            f.hint(vacant("a"));

            assertThat(f.passUntilAsked()).isEqualTo(4 * TIMING.hintedPollIntervalNanos() / 2);
        }

        @Test
        void alsoAfterAListingThatIsUnderWay() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.gap();
            f.hint(held("b", 2, 2, "B"));
            f.pass(1);
            f.answer(held("a", 1, 1, "A"));

            assertThat(f.passUntilAsked()).isEqualTo(CONFIRM);
        }

        @Test
        void aLaterTermOfWhatIsKnownProvesItself() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));

            f.hint(held("a", 2, 2, "A2"));

            assertThat(f.told).containsEntry("a", "A2");
            assertThat(f.passUntilAsked()).isEqualTo(30 * SECOND);
        }

        @Test
        void itMayComeBackAfterAVacancyThatCameLate() {
            Follower f = Follower.removing().knowing(held("a", 2, 2, "A"));

            f.hint(vacant("a"));
            f.hint(held("a", 2, 2, "A"));

            assertThat(f.told).containsEntry("a", "A");
        }
    }
}
