package dev.mandate.engine;

import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.TIMING;
import static dev.mandate.engine.Follower.held;
import static dev.mandate.engine.Follower.key;
import static dev.mandate.engine.Follower.vacant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * What follows a prefix, rule by rule: L is 10 s, a look L/4, the leader poll 30 s, the retry spacing 250 ms, and
 * nothing is drawn by chance.
 */
class FollowingMachineTest {
    private static final long LOOK = 2_500_000_000L;
    private static final long RETRY = 250_000_000L;
    /** Half of L/3: what is drawn by chance is added. */
    private static final long CONFIRM = TIMING.hintedPollNanos() / 2;

    @Nested
    class TheWholeFirst {
        @Test
        void nothingIsToldBeforeTheLastPage() {
            Follower f = Follower.removing().start(true);
            assertThat(f.asked().from()).isEqualTo(Cursor.START);
            assertThat(f.asked().timeoutNanos()).isEqualTo(TIMING.answerNanos());
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

            assertThat(f.passUntilAsked()).isEqualTo(4 * TIMING.hintedPollNanos() / 2);
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
                f.pass(TIMING.answerNanos() / 2);
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
            assertThat(f.passUntilAsked()).isEqualTo(TIMING.answerNanos() + RETRY);
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
            f.pass(TIMING.answerNanos());

            f.answerTo(late, new Page<>(List.of(held("b", 2, 2, "B")), null));

            assertThat(f.log).isEmpty();
        }
    }

    @Nested
    class WhereObserversJudge {
        private static final Duration SHORT = Duration.ofSeconds(4);
        private static final Duration LONG = Duration.ofSeconds(40);

        /** Answers every listing like this until so much time has passed. */
        private static void looksFor(Follower f, long nanos, Observation... items) {
            long until = f.now + nanos;
            while (f.machine().wakeAtNanos() <= until) {
                f.passUntilAsked();
                f.answer(items);
            }
            f.pass(until - f.now);
        }

        @Test
        void aRecordIsDeadAfterItsOwnLeaseNotTheFollowers() {
            Follower f = Follower.judging();
            Observation[] all = {
                held("short", 1, 1, 1, "S", SHORT),
                held("same", 2, 2, 2, "M", Follower.L),
                held("long", 3, 3, 3, "L", LONG)
            };
            f.start(true);
            f.answer(all);
            looksFor(f, 4 * SECOND, all);
            assertThat(f.told).as("no look has shown 4 s yet").containsOnlyKeys("short", "same", "long");
            looksFor(f, LOOK, all);
            assertThat(f.told).containsOnlyKeys("same", "long");
            looksFor(f, 2 * LOOK, all);
            assertThat(f.told).containsOnlyKeys("long");
            looksFor(f, 28 * SECOND, all);
            assertThat(f.told).containsOnlyKeys("long");
            looksFor(f, 3 * LOOK, all);

            assertThat(f.told).as("at the second look, as it was the last one").isEmpty();
        }

        @Test
        void onlyALookProvesIt() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));

            f.pass(60 * SECOND);

            assertThat(f.told).containsOnlyKeys("a", "b");
        }

        @Test
        void everySignOfLifeBeginsAnew() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"));
            for (int i = 2; i < 20; i++) {
                looksFor(f, 9 * SECOND, held("a", 1, 1, i, "A", Follower.L));
            }

            assertThat(f.told).containsOnlyKeys("a");
        }

        /** "Such a write must not restart a challenger's wait." */
        @Test
        void anyOtherWriteIsNone() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));
            for (int i = 2; i < 8; i++) {
                looksFor(f, LOOK, held("a", 1, i, 1, "A" + i, Follower.L), held("b", 2, 2, 2, "B", LONG));
            }

            assertThat(f.told).containsOnlyKeys("b");
        }

        @Test
        void oneThatIsDeadStaysDeadAndLivesAgainWithTheNextSign() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));
            looksFor(f, 13 * SECOND, held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));
            assertThat(f.log).containsExactly("-a");
            f.hint(held("a", 1, 5, 1, "A5", Follower.L));
            looksFor(f, 5 * SECOND, held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));
            assertThat(f.log).containsExactly("-a");

            looksFor(f, LOOK, held("a", 1, 1, 9, "A", Follower.L), held("b", 2, 2, 3, "B", LONG));

            assertThat(f.told).containsEntry("a", "A").containsEntry("b", "B");
        }

        @Test
        void itIsVerifiedWithTheFirstSignThatDiffers() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"));
            assertThat(f.told).containsEntry("a", "A?");

            looksFor(f, LOOK, held("a", 1, 1, 2, "A", Follower.L));

            assertThat(f.told).containsEntry("a", "A");
            assertThat(f.log).containsExactly("~a");
        }

        @Test
        void alsoByAHint() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"));

            f.hint(held("a", 1, 2, "A"));
            looksFor(f, LOOK, held("a", 1, 2, "A"));

            assertThat(f.told).containsEntry("a", "A");
        }

        /** While the store is away nobody can renew. */
        @Test
        void whileTheStoreIsAwayNobodyDies() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            for (long until = f.now + 30 * SECOND; f.now < until; ) {
                f.passUntilAsked();
                f.fail();
            }
            f.passUntilAsked();
            f.answer(held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            looksFor(f, 5 * SECOND, held("a", 1, 1, "A"), held("b", 2, 2, "B"));
            assertThat(f.told).containsOnlyKeys("a", "b");

            looksFor(f, 8 * SECOND, held("a", 1, 1, "A"), held("b", 2, 2, 9, "B", Follower.L));

            assertThat(f.told).as("b renewed").containsOnlyKeys("b");
        }

        /** Else a store that loses pages keeps the dead for ever. */
        @Test
        void aPageThatIsLostNowAndThenKeepsNobodyAlive() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));
            for (long until = f.now + 15 * SECOND; f.now < until; ) {
                f.passUntilAsked();
                f.fail();
                f.passUntilAsked();
                f.answer(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));
            }

            assertThat(f.told).containsOnlyKeys("b");
        }

        /** Else a store that loses pages keeps those with a short lease for ever: each lost page would begin their wait anew. */
        @Test
        void norDoesItKeepAliveWhoseLeaseIsShorterThanALook() {
            Duration shortest = Duration.ofSeconds(1);
            Observation[] all = {held("a", 1, 1, 1, "A", shortest), held("b", 2, 2, 2, "B", LONG)};
            Follower f = Follower.judging().knowing(all);
            for (long until = f.now + 15 * SECOND; f.now < until; ) {
                f.passUntilAsked();
                f.fail();
                f.passUntilAsked();
                f.answer(all);
            }

            assertThat(f.told).containsOnlyKeys("b");
        }

        /** While a page is lost, its holder may not be able to renew either. */
        @Test
        void aShortOutageEndsNobodyWhoseLeaseIsShorterStill() {
            Duration shortest = Duration.ofSeconds(1);
            Follower f = Follower.judging().knowing(held("a", 1, 1, 1, "A", shortest), held("b", 2, 2, 2, "B", LONG));
            f.passUntilAsked();
            f.answer(held("a", 1, 1, 3, "A", shortest), held("b", 2, 2, 2, "B", LONG));
            f.passUntilAsked();
            f.fail();
            f.passUntilAsked();
            f.answer(held("a", 1, 1, 3, "A", shortest), held("b", 2, 2, 2, "B", LONG));

            assertThat(f.told).containsOnlyKeys("a", "b");
        }

        /** Whoever slept cannot know what others could do meanwhile. */
        @Test
        void norDoesAnybodyWhileThisProcessSleeps() {
            Duration longest = Duration.ofSeconds(600);
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", longest));
            f.now += 60 * SECOND;
            f.passUntilAskedLate();

            f.answer(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", longest));
            assertThat(f.told).containsOnlyKeys("a", "b");
            looksFor(f, 13 * SECOND, held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", longest));

            assertThat(f.told).containsOnlyKeys("b");
        }

        /** A page that is not answered is as good as one that fails. */
        @Test
        void aStoreThatIsSilentIsAway() {
            Follower f = Follower.judging().knowing(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));
            for (long until = f.now + 20 * SECOND; f.now < until; ) {
                f.passUntilAsked();
                f.taken();
            }
            f.passUntilAsked();
            f.answer(held("a", 1, 1, "A"), held("b", 2, 2, 2, "B", LONG));

            assertThat(f.told).containsOnlyKeys("a", "b");
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

        /** A watch that is open and silent may be dead. Whether the store answers is asked by a read, not by a listing. */
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

        /** It may be that the watch lost something, and that nothing else would show it for a leader poll. */
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
                f.pass(TIMING.answerNanos() - 1);
                f.answerSome("p" + i, held("a", 1, 1, "A"));
            }
            assertThat(f.isStale).isFalse();

            f.watch(false);
            for (int i = 0; i < 40; i++) {
                f.pass(TIMING.answerNanos() - 1);
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
            long answer = TIMING.answerNanos();
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
