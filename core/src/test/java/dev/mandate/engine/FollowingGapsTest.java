package dev.mandate.engine;

import static dev.mandate.engine.Follower.LOOK;
import static dev.mandate.engine.Follower.RETRY;
import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.TIMING;
import static dev.mandate.engine.Follower.held;
import static dev.mandate.engine.Follower.vacant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * What follows a prefix: what a listing lacks, what a watch missed, and what is too much. See {@link Follower} for the
 * figures.
 */
class FollowingGapsTest {
    @Nested
    class WhatAListingLacks {
        @Test
        void isGone() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.gap();

            f.answer(held("a", 1, 1, "A"));

            assertThat(f.told).containsOnlyKeys("a");
        }

        /** A store that lists by position skips one when another one goes away between two pages. */
        @Test
        void countsAtTheSecondLookIfThereWereSeveralPages() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"), held("c", 3, 3, "C"));
            f.gap();
            f.answerSome("x", held("a", 1, 1, "A"));
            f.answer(vacant("b"));
            assertThat(f.told).as("b was shown to be vacant, c not at all").containsOnlyKeys("a", "c");

            assertThat(f.passUntilAsked()).isEqualTo(2 * RETRY);
            f.answerSome("x", held("a", 1, 1, "A"));
            f.answer();

            assertThat(f.told).containsOnlyKeys("a");
        }

        @Test
        void theSecondLookBeginsAnewOnceItWasSeen() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("c", 3, 3, "C"));
            f.gap();
            f.answerSome("x", held("a", 1, 1, "A"));
            f.answer();
            f.pass(2 * RETRY);
            f.answer(held("a", 1, 1, "A"), held("c", 3, 3, "C"));
            f.gap();
            f.answerSome("x", held("a", 1, 1, "A"));
            f.answer();

            assertThat(f.told).containsOnlyKeys("a", "c");
        }

        @Test
        void isNotGoneIfALaterPageFailed() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"), held("c", 3, 3, "C"));
            f.gap();
            f.answerSome("x", held("a", 1, 9, "A9"), held("d", 8, 8, "D"));
            f.fail();

            assertThat(f.log).as("what a page shows is true all the same").containsExactlyInAnyOrder("~a", "+d");
            f.pass(RETRY + 1);
            assertThat(f.asked().from()).isEqualTo(new Cursor("x"));
            f.answer(held("b", 2, 2, "B"), held("c", 3, 3, "C"));
            assertThat(f.told).containsOnlyKeys("a", "b", "c", "d");
        }

        @Test
        void norIfTheListingGoesRoundInCircles() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.gap();
            f.answerSome("x", held("a", 1, 1, "A"));
            f.answerSome("x", held("a", 1, 1, "A"));

            assertThat(f.told).containsOnlyKeys("a", "b");
            assertThat(f.asked()).isNull();
        }

        /** However it became empty: by a page, by several, or because nobody renewed. */
        @Test
        void doesNotEmptyTheListBeforeTheSecondLook() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.gap();
            f.answer();
            assertThat(f.told).containsOnlyKeys("a", "b");

            assertThat(f.passUntilAsked()).isEqualTo(RETRY);
            f.answer(vacant("a"));

            assertThat(f.told).isEmpty();
        }

        @Test
        void doesNotEmptyItWhereTheSecondLookShowsSomebody() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.gap();
            f.answer();
            f.pass(RETRY);
            f.answer(held("a", 1, 1, "A"));
            assertThat(f.told).containsOnlyKeys("a");
            f.gap();
            f.answer();

            assertThat(f.told).as("the next time is another first time").containsOnlyKeys("a");
        }

        @Test
        void everyTimeAnew() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.gap();
            f.answer();
            f.pass(RETRY);
            f.answer();
            assertThat(f.told).isEmpty();
            f.hint(held("a", 2, 2, "A2"));
            f.gap();
            f.answer();

            assertThat(f.told).containsOnlyKeys("a");
        }

        @Test
        void aDeletionByHintEmptiesItAtOnce() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));

            f.hint(vacant("a"));

            assertThat(f.told).isEmpty();
        }
    }

    @Nested
    class Gaps {
        @Test
        void everythingIsListedAgainAndNothingIsForgottenMeanwhile() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));

            f.gap();

            assertThat(f.asked()).isNotNull();
            assertThat(f.told).containsOnlyKeys("a", "b");
            f.answer(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            assertThat(f.log).isEmpty();
        }

        @Test
        void alsoOnceMoreIfAListingIsUnderWay() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.gap();
            f.gap();
            f.answer(held("a", 1, 1, "A"));

            assertThat(f.passUntilAsked())
                    .as("it was asked for before the second gap")
                    .isEqualTo(RETRY);
        }

        @Test
        void alsoOnceMoreIfAPageWaitsForItsNextTry() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            f.gap();
            f.answerSome("x", held("a", 1, 1, "A"));
            f.fail();
            f.machine().onGap(new Now(f.now, f.now, 0));
            f.passUntilAsked();
            assertThat(f.asked().from()).isEqualTo(new Cursor("x"));
            f.answer(held("b", 2, 2, "B"));

            assertThat(f.passUntilAsked())
                    .as("its first page was asked for before the second gap")
                    .isEqualTo(2 * RETRY);
        }

        /** Gaps that come often are listed for with a pause between, which is longer for a longer list. */
        @Test
        void aLongListIsNotListedWithoutAPause() {
            for (int pages : new int[] {1, 2, 5, 10, 40}) {
                Follower f = Follower.removing().start(true);
                answerInPages(f, pages);
                for (int i = 0; i < 5; i++) {
                    f.machine().onGap(new Now(f.now, f.now, 0));
                    long pause = f.passUntilAsked();
                    assertThat(pause).as("after %d pages", pages).isEqualTo(Math.min(pages * RETRY, LOOK));
                    answerInPages(f, pages);
                }
            }
        }

        /** Each page takes its time, and something is missed during each listing. */
        @Test
        void norIfItTakesLongerThanThePause() {
            Follower f = Follower.removing().start(true);
            answerInPages(f, 20);
            f.gap();
            f.passUntilAsked();
            f.gap();
            answerInPages(f, 20);

            assertThat(f.passUntilAsked()).isEqualTo(LOOK);
        }

        private static void answerInPages(Follower f, int pages) {
            for (int i = 1; i < pages; i++) {
                f.answerSome("p" + i, held("a" + i, 1, 1, "A"));
                f.pass(TIMING.requestTimeoutNanos() / 2);
            }
            f.answer(held("a", 1, 1, "A"));
        }

        @Test
        void aWatchThatBreaksIsOne() {
            Follower f = Follower.removing().knowing(held("a", 1, 1, "A"));
            f.pass(RETRY);

            f.watch(false);

            assertThat(f.asked()).isNotNull();
        }
    }

    @Nested
    class Bounds {
        @Test
        void noMoreThanSoManyAreFollowedAndThatIsSaid() {
            Follower f = new Follower(Expiry.STORE_REMOVES, new SteadyEntropy(), 2);
            f.knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            assertThat(f.isFull).isFalse();

            f.hint(held("c", 3, 3, "C"));
            assertThat(f.isFull).isTrue();
            f.gap();
            f.answer(held("c", 3, 3, "C"), held("a", 1, 1, "A"), held("b", 2, 4, "B4"));

            assertThat(f.told)
                    .as("those that came first")
                    .containsOnlyKeys("a", "b")
                    .containsEntry("b", "B4");
            assertThat(f.isFull).isTrue();
        }

        @Test
        void thatIsOverOnceAListingFits() {
            Follower f = new Follower(Expiry.STORE_REMOVES, new SteadyEntropy(), 2);
            f.knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"), held("c", 3, 3, "C"));
            assertThat(f.isFull).isTrue();
            f.hint(vacant("a"));
            f.hint(held("c", 3, 3, "C"));
            assertThat(f.told).as("what is gone is remembered until a listing").containsOnlyKeys("b");
            f.gap();
            f.answer(held("b", 2, 2, "B"));
            assertThat(f.isFull).isFalse();
            f.hint(held("c", 3, 3, "C"));

            assertThat(f.told).containsOnlyKeys("b", "c");
        }

        @Test
        void atLeastOneIsFollowed() {
            assertThatThrownBy(() -> new FollowingSettings(TIMING, Expiry.STORE_REMOVES, 0))
                    .hasMessage("recordsMax is 0; it must be 1 or more");
        }

        @Test
        void theLatestThatADeadOneIsGoneIsReckoned() {
            var traits = StoreTraits.of("s", Expiry.OBSERVER_JUDGES, LeaseScope.SESSION);
            var judged = new FollowingSettings(TIMING, Expiry.OBSERVER_JUDGES, 10);
            long answer = TIMING.requestTimeoutNanos();
            assertThat(judged.goneNanos(traits, 4 * SECOND, 1)).isEqualTo(4 * SECOND + 2 * LOOK + RETRY + 3 * answer);
            assertThat(judged.goneNanos(traits, 4 * SECOND, 3))
                    .isEqualTo(4 * SECOND + 2 * LOOK + 3 * RETRY + 9 * answer);

            var removing = new FollowingSettings(TIMING, Expiry.STORE_REMOVES, 10);
            var other =
                    StoreTraits.of("s", Expiry.STORE_REMOVES, LeaseScope.RECORD).withExpiry(2, Duration.ofSeconds(1));
            assertThat(removing.goneNanos(other, 4 * SECOND, 1)).isEqualTo(9 * SECOND + LOOK + RETRY + 2 * answer);
            assertThat(removing.goneNanos(other.withWatch(true), 4 * SECOND, 1))
                    .isEqualTo(39 * SECOND + RETRY + 2 * answer);
        }
    }
}
