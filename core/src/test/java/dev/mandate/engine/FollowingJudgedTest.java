package dev.mandate.engine;

import static dev.mandate.engine.Follower.LOOK;
import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.held;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Observation;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What follows a prefix where observers judge who is dead. See {@link Follower} for the figures. */
class FollowingJudgedTest {
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

        /**
         * Else a store that loses pages keeps those with a short lease for ever: each lost page would begin their wait
         * anew.
         */
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
}
