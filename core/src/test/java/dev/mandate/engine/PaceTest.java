package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The retry spacing is 250 ms, the poll 1.25 s, the splay 200 ms, and the cool-down 2.5 s, up to 60 s; all drawn as
 * late as may be.
 */
class PaceTest {
    private static final LeaseTiming TIMING = Rig.TIMING;
    private static final long NOW = 5_000_000_000_000L;
    private static final long RETRY = TIMING.retryIntervalNanos();
    private static final long POLL = TIMING.pollIntervalNanos();

    private final Entropy entropy = new LatestEntropy();
    private final Pace pace = new Pace(TIMING, Rig.shared(TIMING, entropy));

    private static long seconds(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    private static long after(long nanos) {
        return Duration.ofNanos(nanos - NOW).toMillis();
    }

    @Test
    void theFirstLookIsWithinTheSplay() {
        pace.start(NOW);

        assertThat(pace.readAtNanos()).isEqualTo(NOW + TIMING.splayNanos());
    }

    /** Standing and withdrawing in turn asks no more often than retries. */
    @Test
    void aLookKeepsItsDistanceFromTheLastOne() {
        pace.reading(NOW);
        assertThat(pace.readAtNanos()).isEqualTo(NOW + RETRY);

        pace.start(NOW + RETRY / 2);
        assertThat(pace.readAtNanos()).isEqualTo(NOW + RETRY + TIMING.splayNanos());
        pace.start(NOW + seconds(1));
        assertThat(pace.readAtNanos()).isEqualTo(NOW + seconds(1) + TIMING.splayNanos());

        pace.heard(NOW);
        assertThat(pace.readAtNanos()).isEqualTo(NOW + POLL + POLL / 5);
        pace.lookSoon(NOW + RETRY / 2);
        assertThat(pace.readAtNanos()).isEqualTo(NOW + RETRY);
    }

    /** Also one that the end of a term gave up, or that the common listing was thought to have made needless. */
    @Test
    void aLookKeepsItsDistanceFromOneThatWasGivenUp() {
        Entropy none = new SteadyEntropy();
        LeaseTiming timing =
                LeaseTiming.of(Rig.L, 1.1).pollInterval(Duration.ofMillis(10)).build();
        Pace hasty = new Pace(timing, Rig.shared(timing, none));
        hasty.reading(NOW);
        hasty.pause(NOW + 1);
        assertThat(hasty.readAtNanos()).isEqualTo(NOW + RETRY);
        hasty.park();
        hasty.lookWithin(NOW + 1, seconds(15));
        assertThat(hasty.readAtNanos()).isEqualTo(NOW + RETRY);

        hasty.pause(NOW + RETRY);

        assertThat(hasty.readAtNanos()).isEqualTo(NOW + RETRY + timing.pollIntervalNanos());
    }

    @Test
    void itIsSettledOnceNothingOfItHoldsAnybodyUp() {
        assertThat(pace.settledAtNanos()).isEqualTo(Long.MIN_VALUE);
        pace.reading(NOW);
        assertThat(pace.settledAtNanos()).isEqualTo(NOW + RETRY);

        pace.ended(EndReason.RESIGNED, seconds(1));
        pace.stopped(NOW);

        assertThat(pace.settledAtNanos()).isEqualTo(NOW + seconds(60));
    }

    @Test
    void aCoolDownDoublesWithEachTermInARow() {
        long now = NOW;
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            pace.ended(EndReason.RESIGNED, seconds(1));
            pace.stopped(now);
            pauses.add((pace.tryAtNanos() - now) / 1_000_000);
            assertThat(pace.isCooling(pace.tryAtNanos() - 1)).isTrue();
            assertThat(pace.isCooling(pace.tryAtNanos())).isFalse();
            now = pace.tryAtNanos();
        }
        assertThat(pauses).containsExactly(2_500L, 5_000L, 10_000L, 20_000L, 40_000L, 60_000L, 60_000L);
    }

    /** As long as the longest cool-down: such a term is not one of many short ones. */
    @Test
    void aTermThatLastedBeginsTheRowAnew() {
        pace.ended(EndReason.RESIGNED, seconds(1));
        pace.stopped(NOW);
        pace.ended(EndReason.RESIGNED, seconds(60) - 1);
        pace.stopped(NOW + seconds(100));
        assertThat(pace.tryAtNanos()).isEqualTo(NOW + seconds(105));

        pace.ended(EndReason.RESIGNED, seconds(60));
        pace.stopped(NOW + seconds(200));

        assertThat(pace.tryAtNanos()).isEqualTo(NOW + seconds(200) + TIMING.coolDownNanos(1));
    }

    @Test
    void aRowIsOverAfterTheLongestCoolDown() {
        pace.ended(EndReason.RESIGNED, seconds(1));
        pace.stopped(NOW);
        pace.newCandidacy(NOW + seconds(60) - 1);
        pace.ended(EndReason.RESIGNED, seconds(1));
        pace.stopped(NOW + seconds(60));
        assertThat(pace.tryAtNanos()).isEqualTo(NOW + seconds(65));

        pace.newCandidacy(NOW + seconds(120));
        pace.ended(EndReason.RESIGNED, seconds(1));
        pace.stopped(NOW + seconds(120));

        assertThat(pace.tryAtNanos()).isEqualTo(NOW + seconds(120) + TIMING.coolDownNanos(1));
    }

    /** Whoever lost its lead to the store may stand again at once, unless it could not see its record. */
    @Test
    void troubleWithTheStoreNeedsNoCoolDown() {
        pace.ended(EndReason.LEASE_RAN_OUT, seconds(1));
        pace.stopped(NOW);
        pace.ended(EndReason.WITHDRAWN, seconds(1));
        pace.stopped(NOW);
        assertThat(pace.tryAtNanos()).isEqualTo(Long.MIN_VALUE);

        pace.ended(EndReason.UNSEEN, seconds(1));
        pace.stopped(NOW);
        assertThat(pace.tryAtNanos()).isEqualTo(NOW + TIMING.coolDownNanos(1));
    }

    @Test
    void onlyAHintKeepsAnIdleOneLooking() {
        pace.start(NOW);
        pace.parkUnlessHinted(false);
        assertThat(pace.readAtNanos()).isEqualTo(NOW + TIMING.splayNanos());
        pace.hinted(NOW);
        pace.parkUnlessHinted(true);
        assertThat(pace.readAtNanos()).isEqualTo(NOW);

        pace.reading(NOW);
        pace.parkUnlessHinted(true);

        assertThat(pace.readAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aLookWithinASpanIsNeverLaterThanItWas() {
        pace.park();
        pace.lookWithin(NOW, seconds(15));
        assertThat(pace.readAtNanos()).isEqualTo(NOW + seconds(15) - 1);

        pace.lookWithin(NOW + 1, seconds(15));
        assertThat(pace.readAtNanos()).isEqualTo(NOW + seconds(15) - 1);
        pace.lookWithin(NOW, seconds(5));
        assertThat(pace.readAtNanos()).isEqualTo(NOW + seconds(5) - 1);
    }

    /** Two refusals, each by a new holder, are a lost race; after that pauses grow up to the poll. */
    @Test
    void aLostRaceIsNotPausedFor() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            pace.refused(NOW, true, 0);
            pauses.add(after(Math.max(NOW, pace.tryAtNanos())));
        }
        assertThat(pauses).containsExactly(0L, 0L, 1_250L, 1_250L, 1_250L);
    }

    @Test
    void aRefusalByNobodyIsPausedForAtOnce() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pace.refused(NOW, false, 0);
            pauses.add(after(pace.tryAtNanos()));
        }
        assertThat(pauses).containsExactly(500L, 1_000L, 1_250L);
        pace.acquiring(NOW);
        pace.calm(false, NOW + seconds(1) / 2);
        pace.refused(NOW, false, 0);
        assertThat(after(pace.tryAtNanos())).isEqualTo(1_250);
        pace.calm(false, NOW + seconds(10));
        pace.refused(NOW + seconds(10), false, 0);
        assertThat(after(pace.tryAtNanos())).isEqualTo(10_500);
    }

    @Test
    void aHolderThatIsSeenSettlesARace() {
        pace.acquiring(NOW);
        pace.refused(NOW, false, 0);
        pace.refused(NOW, false, 0);

        pace.calm(true, NOW);

        pace.refused(NOW + seconds(5), false, 0);
        assertThat(after(pace.tryAtNanos())).isEqualTo(5_500);
    }

    /** What a store asks for is waited for, but no longer than the longest cool-down. */
    @Test
    void aStoreThatSaysWhenIsBelievedWithinBounds() {
        pace.refused(NOW, true, seconds(3));
        assertThat(after(pace.tryAtNanos())).isEqualTo(3_000);
        pace.refused(NOW, true, seconds(3_600));
        assertThat(after(pace.tryAtNanos())).isEqualTo(60_000);
    }

    /** A pause that is longer already stays, as what it is. */
    @Test
    void aCoolDownIsNotShortenedByADoubt() {
        pace.ended(EndReason.RESIGNED, seconds(1));
        pace.stopped(NOW);
        pace.doubted(NOW);
        assertThat(after(pace.tryAtNanos())).isEqualTo(2_500);
        assertThat(pace.isCooling(NOW)).isTrue();

        pace.doubted(NOW + seconds(10));
        assertThat(pace.isCooling(NOW + seconds(10))).isFalse();
    }

    @Test
    void doubtsAreFollowedByEverLongerPauses() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            pace.doubted(NOW);
            pauses.add(after(pace.tryAtNanos()));
        }
        assertThat(pauses).containsExactly(300L, 600L, 1_200L, 1_500L, 1_500L);
        pace.won(NOW);
        pace.doubted(NOW + seconds(10));
        assertThat(after(pace.tryAtNanos())).isEqualTo(10_300);
    }

    /** A lost race shows that the store works. A vacancy that refuses shows no such thing: the pauses go on growing. */
    @ParameterizedTest
    @CsvSource({"true, 10300", "false, 11200"})
    void onlyALostRaceIsTheEndOfDoubts(boolean byHolder, long triedAgain) {
        pace.doubted(NOW);
        pace.doubted(NOW);
        pace.refused(NOW, byHolder, 0);

        pace.doubted(NOW + seconds(10));

        assertThat(after(pace.tryAtNanos())).isEqualTo(triedAgain);
    }

    /**
     * Looks after doubts take from the budget that retries take from; where it is spent, they wait for it, or for a
     * poll.
     */
    @Test
    void aDoubtIsLookedAfterAsSoonAsTheBudgetAllows() {
        long spacing = TIMING.leaseNanos() / TIMING.retriesPerLease();
        for (int i = 0; i < TIMING.retriesPerLease(); i++) {
            pace.park();
            pace.lookInDoubt(NOW);
            assertThat(pace.readAtNanos()).isEqualTo(NOW);
        }
        pace.park();
        pace.lookInDoubt(NOW + 1);
        assertThat(pace.readAtNanos()).isEqualTo(NOW + spacing);

        pace.park();
        pace.lookInDoubt(NOW + 2);

        assertThat(pace.readAtNanos()).isEqualTo(NOW + 2 + POLL + POLL / 5);
        pace.lookSoon(NOW + 3);
        pace.lookInDoubt(NOW + 4);
        assertThat(pace.readAtNanos()).isEqualTo(NOW + 3);
        pace.silent(NOW + seconds(45), POLL);
        assertThat(after(pace.readAtNanos())).isEqualTo(45_300);
    }

    @Test
    void silencesAreFollowedByEverLongerPausesUntilSomethingIsHeard() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pace.silent(NOW, POLL);
            pauses.add(after(pace.readAtNanos()));
        }
        assertThat(pauses).containsExactly(300L, 600L, 1_200L, 1_500L);
        pace.heard(NOW);
        pace.silent(NOW, POLL);
        assertThat(after(pace.readAtNanos())).isEqualTo(300);
    }
}
