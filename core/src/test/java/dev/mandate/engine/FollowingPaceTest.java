package dev.mandate.engine;

import static dev.mandate.engine.Follower.LOOK;
import static dev.mandate.engine.Follower.RETRY;
import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.TIMING;
import static dev.mandate.engine.Follower.held;
import static dev.mandate.engine.Follower.vacant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Page;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * What follows a prefix: how often it lists, and what it says while the store is away. See {@link Follower} for the
 * figures.
 */
class FollowingPaceTest {
    @Nested
    class Pace {
        @Test
        void withoutAWatchItListsEveryQuarterOfALease() {
            Follower f = Follower.removing().start(false);
            f.answer(held("a", 1, 1, "A"));

            assertThat(f.passUntilAsked()).isEqualTo(LOOK);
        }

        @Test
        void whileHintsWorkEveryLeaderPoll() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));

            assertThat(f.passUntilAsked()).isEqualTo(30 * SECOND);
        }

        @Test
        void alsoEveryQuarterOfALeaseWhereObserversJudge() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"));

            assertThat(f.passUntilAsked()).isEqualTo(LOOK);
        }

        @Test
        void hintsThatDoNotComeAreNotReliedOn() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.passUntilAsked();
            f.answer(held("a", 1, 1, "A"));

            assertThat(f.passUntilAsked()).as("b went without a hint").isEqualTo(LOOK);
            f.answer(held("a", 1, 3, "A3"));
            f.hint(held("a", 1, 3, "A3"));
            assertThat(f.passUntilAsked()).as("what is due stays due").isEqualTo(LOOK);
            f.answer(held("a", 1, 3, "A3"));
            assertThat(f.passUntilAsked()).as("one came").isEqualTo(30 * SECOND);
        }

        /** The listing under way may have been asked for before what was missed. */
        @Test
        void norIsThatHeldAgainstThemWhichTheNextListingShows() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.passUntilAsked();
            f.gap();
            f.answer(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.passUntilAsked();
            f.answer(held("a", 1, 1, "A"));

            assertThat(f.log).containsExactly("-b");
            assertThat(f.passUntilAsked()).isEqualTo(30 * SECOND);
        }

        @Test
        void whatAGapExplainsIsNotHeldAgainstThem() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.gap();
            f.answer(held("a", 1, 1, "A"));

            assertThat(f.passUntilAsked()).isEqualTo(30 * SECOND);
        }

        @Test
        void aPageThatDoesNotComeIsAskedForAgainEverLessOftenDownToALook() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.passUntilAsked();
            f.taken();
            assertThat(f.passUntilAsked()).isEqualTo(TIMING.requestTimeoutNanos() + RETRY);
            long last = 0;
            for (int i = 0; i < 12; i++) {
                f.fail();
                last = f.passUntilAsked();
            }

            assertThat(last).isEqualTo(LOOK);
        }

        @Test
        void aFaultIsToldAndItsEnd() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.gap();
            f.failFor("no right to list");
            assertThat(f.fault).isEqualTo("no right to list");
            assertThat(f.told).containsOnlyKeys("a");

            f.passUntilAsked();
            f.answer(held("a", 1, 1, "A"));

            assertThat(f.fault).isNull();
        }

        @Test
        void anAnswerThatCameTooLateIsNone() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.gap();
            SweepAction late = f.asked();
            f.pass(TIMING.requestTimeoutNanos());

            f.answerTo(late, new Page<>(List.of(held("b", 2, 2, "B")), null));

            assertThat(f.log).isEmpty();
        }
    }

    @Nested
    class WhileTheStoreIsAway {
        private static void away(Follower f, long nanos) {
            long until = f.now + nanos;
            while (f.machine().wakeAtNanos() <= until) {
                f.pass(f.machine().wakeAtNanos() - f.now);
                if (f.asked() != null) {
                    f.fail();
                }
            }
            f.pass(until - f.now);
        }

        @Test
        void theLastListStaysAndIsStaleAfterALease() {
            Follower f = Follower.removing().start(false);
            f.answer(held("a", 1, 1, "A"));
            away(f, 10 * SECOND - 1);
            assertThat(f.isStale).isFalse();

            away(f, 1);

            assertThat(f.isStale).isTrue();
            away(f, 600 * SECOND);
            assertThat(f.told).containsOnlyKeys("a");
            assertThat(f.log).doesNotContain("-a");
            f.passUntilAsked();
            f.answer(held("a", 1, 1, "A"));
            assertThat(f.isStale).isFalse();
        }

        /**
         * A watch that is open and silent may be dead. Whether the store answers is asked by a read, not by a listing.
         */
        @Test
        void whileHintsWorkAlsoALeaseAfterItAnsweredLast() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.pass(29 * SECOND);
            assertThat(f.isStale).isFalse();
            assertThat(f.looked).isEqualTo(5);
            assertThat(f.asked()).isNull();

            f.shows = key -> null;
            away(f, 10 * SECOND);

            assertThat(f.isStale).isTrue();
        }

        @Test
        void alsoWhereLooksAreNotAnsweredAtAll() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.answersLooks = false;

            away(f, 10 * SECOND - 1);
            assertThat(f.isStale).isFalse();
            away(f, 1);

            assertThat(f.isStale).isTrue();
        }

        /** By then the look has failed, and so have the listings that followed it. */
        @Test
        void aLookThatFailsIsFollowedByAListing() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.shows = key -> null;

            assertThat(f.passUntilAsked()).isEqualTo(5 * SECOND);
            f.answer(held("a", 1, 1, "A"));

            f.pass(9 * SECOND);
            assertThat(f.isStale).isFalse();
        }

        @Test
        void anEmptyListIsListedInstead() {
            Follower f = Follower.removing().knowing();

            assertThat(f.passUntilAsked()).isEqualTo(5 * SECOND);
            assertThat(f.looked).isZero();
        }

        /** It may be that the watch lost something, and that nothing else would show it for a record check interval. */
        @Test
        void aLookThatShowsWhatNoHintToldIsFollowedByAListing() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.shows = key -> vacant("a");

            assertThat(f.passUntilAsked()).isEqualTo(5 * SECOND);
            assertThat(f.told).containsOnlyKeys("a");
        }

        @Test
        void unlessAHintCameMeanwhile() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.shows = key -> {
                f.shows = each -> held("a", 2, 2, "A2");
                f.hint(held("a", 2, 2, "A2"));
                return held("a", 1, 1, "A");
            };

            assertThat(f.passUntilAsked()).isEqualTo(30 * SECOND);
        }

        @Test
        void aRenewalIsNoSuchThing() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.shows = key -> held("a", 1, 7, "A");

            assertThat(f.passUntilAsked()).isEqualTo(30 * SECOND);
            assertThat(f.isStale).isFalse();
        }

        /** A long listing: its pages say that the store is there. */
        @Test
        void pagesVouchWhileAWatchWorks() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.passUntilAsked();
            for (int i = 0; i < 40; i++) {
                f.pass(TIMING.requestTimeoutNanos() - 1);
                f.answerSome("p" + i, held("a", 1, 1, "A"));
            }
            assertThat(f.isStale).isFalse();

            f.watch(false);
            for (int i = 0; i < 40; i++) {
                f.pass(TIMING.requestTimeoutNanos() - 1);
                f.answerSome("q" + i, held("a", 1, 1, "A"));
            }

            assertThat(f.isStale)
                    .as("only a complete listing shows what was missed")
                    .isTrue();
        }

        /** Nothing vouches for the list while this process sleeps. */
        @Test
        void alsoWhereThisProcessSlept() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.now += 3_600 * SECOND;

            f.passUntilAskedLate();

            assertThat(f.isStale).isTrue();
            f.answer(held("a", 1, 1, "A"));
            assertThat(f.isStale).isFalse();
        }

        @Test
        void alsoWhereTheWatchBrokeMeanwhile() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.now += 3_600 * SECOND;

            f.watch(false);

            assertThat(f.isStale).isTrue();
        }

        @Test
        void aLeaseAfterTheLastLookBeforeTheWatchBroke() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.pass(20 * SECOND);
            f.watch(false);
            f.fail();

            away(f, 10 * SECOND - 1);
            assertThat(f.isStale).isFalse();
            away(f, 1);

            assertThat(f.isStale).isTrue();
        }

        @Test
        void whatWasNeverKnownIsNotStale() {
            Follower f = Follower.removing().start(true);

            away(f, 60 * SECOND);

            assertThat(f.isStale).isFalse();
            assertThat(f.told).isNull();
        }

        @Test
        void hintsDoNotMakeItFreshAgain() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.gap();
            f.fail();
            away(f, 11 * SECOND);
            assertThat(f.isStale).isTrue();

            f.hint(held("b", 2, 2, "B"));

            assertThat(f.told).containsOnlyKeys("a", "b");
            assertThat(f.isStale).isTrue();
        }
    }
}
