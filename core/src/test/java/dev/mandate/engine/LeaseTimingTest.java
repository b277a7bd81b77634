package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All arithmetic of leases. */
class LeaseTimingTest {
    private static final Duration L = Duration.ofSeconds(60);
    private static final Now START = new Now(1_000_000_000_000L, 1_000_000_000_000L, 1_767_225_600_000L);

    /** The normative table in the class comment. */
    @ParameterizedTest
    @ValueSource(longs = {1, 10, 60, 3_600, 86_400})
    void theDefaultsAreThoseOfTheTable(long seconds) {
        Duration lease = Duration.ofSeconds(seconds);
        long nanos = lease.toNanos();

        LeaseTiming timing = LeaseTiming.of(lease);

        assertThat(timing.leaseNanos()).isEqualTo(nanos);
        assertThat(timing.maxClockRatio()).isEqualTo(1.1);
        assertThat(timing.deadlineMarginNanos()).isEqualTo(nanos / 100);
        assertThat(timing.renewIntervalNanos()).isEqualTo(nanos / 3);
        assertThat(timing.requestTimeoutNanos()).isEqualTo(nanos / 15);
        assertThat(timing.retryIntervalNanos()).isEqualTo(nanos / 40);
        assertThat(timing.drainTimeoutNanos()).isEqualTo(nanos / 6);
        assertThat(timing.pollIntervalNanos()).isEqualTo(nanos / 10);
        assertThat(timing.recordCheckIntervalNanos()).isEqualTo(30_000_000_000L);
        assertThat(timing.splayNanos()).isEqualTo(nanos / 50);
        assertThat(timing.coolDownNanos(1)).isEqualTo(nanos / 4);
    }

    /**
     * "With them a term is believed for L/q − deadlineMargin − drain = 0.73 L [...], and three complete tries (the last
     * one answered at 0.58 L) fit before."
     */
    @Test
    void theDefaultsAreBelievedForAsLongAsTheCommentSays() {
        LeaseTiming timing = LeaseTiming.of(L);

        assertThat(timing.believedFor().toNanos() / 60e9).isBetween(0.732, 0.733);
        long triesDone =
                timing.renewIntervalNanos() + 3 * timing.requestTimeoutNanos() + 2 * timing.retryIntervalNanos();
        assertThat(triesDone / 60e9).isBetween(0.582, 0.584);
    }

    /** The window of a grant: stop and end from the send, worked out by hand. */
    @Test
    void theWindowOfAGrant() {
        LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(11), 1.1)
                .deadlineMargin(Duration.ofMillis(100))
                .drainTimeout(Duration.ofSeconds(2))
                .build();

        LeaseWindow window = timing.window(START, timing.leaseNanos());

        assertThat(window.sentNanos()).isEqualTo(START.monotonicNanos());
        assertThat(window.sent().wallMillis()).isEqualTo(START.wallMillis());
        assertThat(window.endNanos()).isBetween(9_899_999_999L, 9_900_000_000L);
        assertThat(window.stopNanos()).isEqualTo(window.endNanos() - 2_000_000_000L);
        assertThat(timing.believedFor().toNanos()).isEqualTo(window.stopNanos());
    }

    /** More than was asked for is believed no longer; less is believed for its share. */
    @Test
    void aGrantIsBelievedForNoMoreThanWasAskedForAndForItsShareIfLess() {
        LeaseTiming timing = LeaseTiming.of(L);
        LeaseWindow asked = timing.window(START, L.toNanos());

        assertThat(timing.window(START, L.toNanos() + 1)).isEqualTo(asked);
        assertThat(timing.window(START, Long.MAX_VALUE)).isEqualTo(asked);
        LeaseWindow half = timing.window(START, L.toNanos() / 2);
        assertThat(half.stopNanos()).isBetween(asked.stopNanos() / 2 - 10, asked.stopNanos() / 2 + 10);
        assertThat(half.endNanos()).isBetween(asked.endNanos() / 2 - 10, asked.endNanos() / 2 + 10);
    }

    /** "The same shares are kept when a store grants less than was asked." */
    @Test
    void aShorterGrantKeepsTheShares() {
        LeaseTiming quarter = LeaseTiming.of(L).granted(L.toNanos() / 4);

        assertThat(quarter).isEqualTo(LeaseTiming.of(Duration.ofSeconds(15)));
        assertThat(LeaseTiming.of(L).granted(L.toNanos())).isEqualTo(LeaseTiming.of(L));
    }

    /** Nothing throws on whatever a store grants: not on settings that only just fitted, and not on a nanosecond. */
    @Test
    void noGrantIsTooOddToBeReckonedWith() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            LeaseTiming timing = tight(random);
            long granted = 1 + (long) (random.nextDouble() * timing.leaseNanos());

            LeaseTiming scaled = timing.granted(granted);
            LeaseWindow window = timing.window(START, granted);

            assertThat(scaled.leaseNanos()).isEqualTo(granted);
            assertThat(window.endNanos()).isLessThan(granted);
            assertThat(window.stopNanos()).isLessThanOrEqualTo(window.endNanos());
            if (granted > 10_000_000_000L) {
                long triesDone = scaled.renewIntervalNanos()
                        + 3 * scaled.requestTimeoutNanos()
                        + 2 * scaled.retryIntervalNanos();
                assertThat(triesDone).isLessThanOrEqualTo(window.stopNanos() + 10);
            }
        }
    }

    /** Settings whose three tries end exactly when draining begins. */
    private static LeaseTiming tight(Random random) {
        long lease = 1_000_000_000L + (long) (random.nextDouble() * 100_000_000_000L);
        double q = 1 + random.nextDouble() / 2;
        long guard = lease / 100;
        long drain = lease / 10;
        long stop = (long) (lease / q) - guard - drain;
        long answer = stop / 8;
        long retry = stop / 16;
        return LeaseTiming.of(Duration.ofNanos(lease), q)
                .deadlineMargin(Duration.ofNanos(guard))
                .drainTimeout(Duration.ofNanos(drain))
                .requestTimeout(Duration.ofNanos(answer))
                .retryInterval(Duration.ofNanos(retry))
                .renewInterval(Duration.ofNanos(stop - 3 * answer - 2 * retry))
                .build();
    }

    /** A tiny grant makes nobody ask more than a thousand times a second; a tiny setting is taken at its word. */
    @Test
    void aTinyGrantIsNoReasonToHurry() {
        LeaseTiming tiny = LeaseTiming.of(L).granted(1);

        assertThat(List.of(
                        tiny.renewIntervalNanos(),
                        tiny.requestTimeoutNanos(),
                        tiny.retryIntervalNanos(),
                        tiny.pollIntervalNanos()))
                .containsOnly(1_000_000L);
        assertThat(tiny.window(START, 1).isStopPassed(START)).isTrue();
        LeaseTiming asked =
                LeaseTiming.of(L, 1.1).retryInterval(Duration.ofNanos(500)).build();
        assertThat(asked.granted(L.toNanos() / 2).retryIntervalNanos()).isEqualTo(500);
    }

    @Test
    void aGrantOfNothingIsRefused() {
        LeaseTiming timing = LeaseTiming.of(L);

        assertThatIllegalArgumentException().isThrownBy(() -> timing.granted(0)).withMessageContaining("0 ns");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> timing.granted(-7))
                .withMessageContaining("-7 ns");
    }

    /** "[...] impossible settings are refused naming both numbers." */
    @Test
    void everyRefusalNamesBothNumbers() {
        refused(
                d -> d.deadlineMargin(Duration.ofSeconds(50)).drainTimeout(Duration.ZERO),
                "60 s",
                "1.5",
                "50 s",
                "deadlineMargin");
        refused(d -> d.drainTimeout(Duration.ofSeconds(40)), "drainTimeout 40 s", "60 s", "39400 ms");
        refused(
                d -> d.renewInterval(Duration.ofSeconds(30)),
                "renewInterval 30 s",
                "requestTimeout 4 s",
                "retryInterval 1500 ms",
                "45 s",
                "29400 ms");
        refused(d -> d.requestTimeout(Duration.ofSeconds(9)), "requestTimeout 9 s", "50 s", "29400 ms");
        refused(
                d -> d.renewInterval(Duration.ofSeconds(1)).pollInterval(Duration.ofSeconds(61)),
                "pollInterval 61 s",
                "60 s");
        refused(d -> d.renewInterval(Duration.ofNanos(29_999_500)).drainTimeout(Duration.ofSeconds(39)), "29999 us");
    }

    private static void refused(UnaryOperator<LeaseTiming.Draft> change, String... words) {
        LeaseTiming.Draft draft = change.apply(LeaseTiming.of(L, 1.5));
        assertThatIllegalArgumentException()
                .isThrownBy(draft::build)
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    @Test
    void aRatioOutOfBoundsIsRefusedWithItsBounds() {
        for (double q : new double[] {0.999, 0, -1, 2.001, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LeaseTiming.of(L, q).build())
                    .withMessageContainingAll("maxClockRatio is " + q, "1.0", "2.0");
        }
        assertThat(LeaseTiming.of(L, 1.0).build().maxClockRatio()).isEqualTo(1.0);
        assertThat(LeaseTiming.of(L, 2.0)
                        .drainTimeout(Duration.ofSeconds(1))
                        .renewInterval(Duration.ofSeconds(10))
                        .build()
                        .maxClockRatio())
                .isEqualTo(2.0);
    }

    /** Every setting is refused by its name, with its value and the bound. */
    @Test
    void everySettingIsRefusedByItsName() {
        Duration minus = Duration.ofMillis(-1);
        Duration tooLong = Duration.ofDays(366);
        badSetting(LeaseTiming.of(Duration.ZERO, 1.1), "lease is 0 s", "more than 0");
        badSetting(LeaseTiming.of(minus, 1.1), "lease is PT-0.001S", "not be negative");
        badSetting(LeaseTiming.of(tooLong, 1.1), "lease is PT8784H", "at most 365 days");
        badSetting(LeaseTiming.of(Duration.ofSeconds(Long.MAX_VALUE), 1.1), "lease is", "at most 365 days");
        badSetting(LeaseTiming.of(Duration.ofSeconds(Long.MIN_VALUE), 1.1), "lease is", "not be negative");
        badSetting(draft().deadlineMargin(minus), "deadlineMargin is PT-0.001S");
        badSetting(draft().renewInterval(Duration.ZERO), "renewInterval is 0 s");
        badSetting(draft().requestTimeout(Duration.ZERO), "requestTimeout is 0 s");
        badSetting(draft().retryInterval(Duration.ZERO), "retryInterval is 0 s");
        badSetting(draft().drainTimeout(minus), "drainTimeout is PT-0.001S");
        badSetting(draft().pollInterval(Duration.ZERO), "pollInterval is 0 s");
        badSetting(draft().recordCheckInterval(Duration.ZERO), "recordCheckInterval is 0 s");
        badSetting(draft().recordCheckInterval(tooLong), "recordCheckInterval is PT8784H");
        badSetting(draft().splay(minus), "splay is PT-0.001S");
        badSetting(draft().coolDown(minus), "coolDown is PT-0.001S");
        assertThat(draft().deadlineMargin(Duration.ZERO)
                        .drainTimeout(Duration.ZERO)
                        .splay(Duration.ZERO)
                        .coolDown(Duration.ZERO)
                        .build()
                        .coolDownNanos(5))
                .isZero();
        assertThat(LeaseTiming.of(Duration.ofDays(365)).leaseNanos())
                .isEqualTo(Duration.ofDays(365).toNanos());
    }

    private static LeaseTiming.Draft draft() {
        return LeaseTiming.of(L, 1.1);
    }

    private static void badSetting(LeaseTiming.Draft draft, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(draft::build)
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    /** At the bound it fits, a nanosecond beyond it does not. */
    @Test
    void theBoundsAreExact() {
        LeaseTiming.Draft fits = LeaseTiming.of(Duration.ofSeconds(10), 1.0)
                .deadlineMargin(Duration.ofSeconds(1))
                .drainTimeout(Duration.ofSeconds(1))
                .requestTimeout(Duration.ofSeconds(1))
                .retryInterval(Duration.ofSeconds(1))
                .renewInterval(Duration.ofSeconds(3));
        assertThat(fits.build().believedFor()).isEqualTo(Duration.ofSeconds(8));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        fits.renewInterval(Duration.ofNanos(3_000_000_001L)).build());

        assertThat(draft().pollInterval(L).build().pollIntervalNanos()).isEqualTo(L.toNanos());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> draft().pollInterval(L.plusNanos(1)).build());

        LeaseTiming.Draft noDrain = LeaseTiming.of(Duration.ofSeconds(10), 1.0)
                .deadlineMargin(Duration.ofNanos(9_999_999_999L))
                .drainTimeout(Duration.ZERO)
                .renewInterval(Duration.ofNanos(1));
        // One nanosecond is left to lead in, and no three tries fit into it; with none left that is what is said first.
        assertThatIllegalArgumentException().isThrownBy(noDrain::build).withMessageContaining("three tries");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> noDrain.drainTimeout(Duration.ofNanos(1)).build())
                .withMessageContaining("drainTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> noDrain.deadlineMargin(Duration.ofSeconds(10)).build())
                .withMessageContaining("deadlineMargin");
    }

    @Test
    void theCoolDownDoublesUpToSixLeases() {
        LeaseTiming timing = LeaseTiming.of(L);

        assertThat(timing.coolDownNanos(0)).isEqualTo(15_000_000_000L);
        assertThat(timing.coolDownNanos(1)).isEqualTo(15_000_000_000L);
        assertThat(timing.coolDownNanos(2)).isEqualTo(30_000_000_000L);
        assertThat(timing.coolDownNanos(5)).isEqualTo(240_000_000_000L);
        assertThat(timing.coolDownNanos(6)).isEqualTo(360_000_000_000L);
        assertThat(timing.coolDownNanos(Integer.MAX_VALUE)).isEqualTo(360_000_000_000L);
        // A cool-down that is longer from the start stays as it is.
        assertThat(draft().coolDown(Duration.ofHours(1)).build().coolDownNanos(9))
                .isEqualTo(3_600_000_000_000L);
        // The longest lease there is overflows nothing.
        assertThat(LeaseTiming.of(Duration.ofDays(365)).coolDownNanos(Integer.MAX_VALUE))
                .isEqualTo(6 * Duration.ofDays(365).toNanos());
        assertThat(draft().coolDown(Duration.ofNanos(1)).build().coolDownNanos(50))
                .isEqualTo(65_536);
    }

    @Test
    void sightIsTwoLeaderPollsAndAnAnswer() {
        assertThat(LeaseTiming.of(L).sightNanos()).isEqualTo(64_000_000_000L);
        assertThat(draft().recordCheckInterval(Duration.ofSeconds(5))
                        .requestTimeout(Duration.ofSeconds(2))
                        .build()
                        .sightNanos())
                .isEqualTo(12_000_000_000L);
    }

    @Test
    void aFaultIsRetriedAfterALeaseButBetweenAPollAndHalfAMinute() {
        assertThat(LeaseTiming.of(Duration.ofSeconds(10)).faultRetryNanos()).isEqualTo(10_000_000_000L);
        assertThat(LeaseTiming.of(L).faultRetryNanos()).isEqualTo(30_000_000_000L);
        assertThat(draft().pollInterval(Duration.ofSeconds(45)).build().faultRetryNanos())
                .isEqualTo(45_000_000_000L);
    }

    /** What is printed for users, for every kind of store. L = 60 s: poll 6 s ± 20 %, answer 4 s. */
    @Test
    void theBoundsOfEveryKindOfStore() {
        LeaseTiming timing = LeaseTiming.of(L);
        LeaseTiming.Bounds removes = timing.bounds(StoreKind.REMOVES_SESSION.traits());
        LeaseTiming.Bounds judges = timing.bounds(StoreKind.JUDGES_SESSION.traits());
        LeaseTiming.Bounds record = timing.bounds(StoreKind.REMOVES_RECORD.traits());

        assertThat(removes.failover()).isEqualTo(Duration.ofMillis(60_000 + 7_200 + 12_000));
        assertThat(removes.recovery()).isEqualTo(removes.failover().plusMillis(12_000 + 14_400));
        assertThat(removes.forcedOverlap()).isEqualTo(Duration.ofSeconds(64));
        assertThat(removes.coldStart()).isZero();

        assertThat(judges.failover()).isEqualTo(removes.failover());
        assertThat(judges.coldStart()).isEqualTo(L);

        // L/q − deadlineMargin: what the leader may believe after its record was freed.
        assertThat(record.forcedOverlap().toNanos()).isEqualTo((long) (60e9 / 1.1) - 600_000_000L);
        assertThat(record.failover()).isEqualTo(removes.failover());
    }

    /** Where a store says who tries first, everybody may have to wait for the last turn. L = 60 s: a step of 1.2 s. */
    @Test
    void anOrderLengthensTheBoundByTheLastTurn() {
        LeaseTiming timing = LeaseTiming.of(L);
        for (StoreKind kind : StoreKind.values()) {
            LeaseTiming.Bounds race = timing.bounds(kind.traits());
            LeaseTiming.Bounds ordered = timing.bounds(kind.traits(), true);

            assertThat(ordered.failover()).isEqualTo(race.failover().plusMillis(9_600));
            assertThat(ordered.recovery()).isEqualTo(race.recovery().plusMillis(9_600));
            assertThat(ordered.forcedOverlap()).isEqualTo(race.forcedOverlap());
            assertThat(ordered.coldStart()).isEqualTo(race.coldStart());
            assertThat(timing.bounds(kind.traits(), false)).isEqualTo(race);
        }
        assertThat(timing.stepNanos()).isEqualTo(1_200_000_000L);
        assertThat(timing.turnMostNanos()).isEqualTo(9_600_000_000L);
        assertThat(timing.granted(30_000_000_000L).stepNanos()).isEqualTo(600_000_000L);
        assertThat(timing.granted(1).stepNanos()).isOne();
        assertThat(timing).asString().endsWith(" step=1200 ms");
    }

    /** What a store adds: twice the lease, some slack, a lock-delay. Where observers judge, none of it counts. */
    @Test
    void theTraitsOfAStoreLengthenTheBound() {
        StoreTraits slow = StoreTraits.of("slow", Expiry.STORE_REMOVES, LeaseScope.SESSION)
                .withExpiry(2.0, Duration.ofMillis(500))
                .withLockDelay(Duration.ofSeconds(15));
        StoreTraits judged = StoreTraits.of("judged", Expiry.OBSERVER_JUDGES, LeaseScope.SESSION)
                .withExpiry(2.0, Duration.ofMillis(500))
                .withLockDelay(Duration.ofSeconds(15));
        LeaseTiming timing = LeaseTiming.of(L);

        assertThat(timing.bounds(slow).failover())
                .isEqualTo(Duration.ofMillis(120_000 + 500 + 15_000 + 7_200 + 12_000));
        assertThat(timing.bounds(judged).failover()).isEqualTo(Duration.ofMillis(60_000 + 7_200 + 12_000));
    }

    /** Others wait for the lease that was granted, not for the one requested. */
    @Test
    void aStoreThatGrantsWholeStepsFreesLater() {
        LeaseTiming timing = LeaseTiming.of(Duration.ofMillis(2_500));
        StoreTraits steps = StoreKind.REMOVES_SESSION
                .traits()
                .withLeaseBounds(Duration.ofSeconds(2), Duration.ofDays(1), Duration.ofSeconds(1));
        StoreTraits least = steps.withLeaseBounds(Duration.ofMillis(3_200), Duration.ofDays(1), Duration.ofMillis(1));

        assertThat(timing.grantedMostNanos(steps)).isEqualTo(3_000_000_000L);
        assertThat(timing.bounds(steps).failover())
                .isEqualTo(timing.bounds(StoreKind.REMOVES_SESSION.traits())
                        .failover()
                        .plusMillis(500));
        assertThat(timing.grantedMostNanos(least)).isEqualTo(3_200_000_000L);
        assertThat(LeaseTiming.of(L).grantedMostNanos(steps)).isEqualTo(L.toNanos());
    }

    @Test
    void whatStoresSayIsBounded() {
        assertThat(LeaseTiming.boundedNanos(Duration.ofSeconds(-1))).isZero();
        assertThat(LeaseTiming.boundedNanos(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
        assertThat(LeaseTiming.boundedNanos(Duration.ZERO)).isZero();
        assertThat(LeaseTiming.boundedNanos(Duration.ofNanos(1))).isEqualTo(1);
        assertThat(LeaseTiming.boundedNanos(Duration.ofDays(365))).isEqualTo(365L * 86_400_000_000_000L);
        assertThat(LeaseTiming.boundedNanos(Duration.ofDays(365).plusNanos(1))).isEqualTo(365L * 86_400_000_000_000L);
        assertThat(LeaseTiming.boundedNanos(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isEqualTo(365L * 86_400_000_000_000L);
    }

    /** Two are equal if every setting is, to the nanosecond. */
    @Test
    void equalityIsThatOfAllSettings() {
        LeaseTiming timing = LeaseTiming.of(L);
        assertThat(timing).isEqualTo(LeaseTiming.of(L)).hasSameHashCodeAs(LeaseTiming.of(L));
        Duration odd = Duration.ofNanos(1_234_567);
        for (LeaseTiming other : List.of(
                LeaseTiming.of(L.plusNanos(1)),
                LeaseTiming.of(L, 1.11).build(),
                draft().deadlineMargin(odd).build(),
                draft().renewInterval(odd).build(),
                draft().requestTimeout(odd).build(),
                draft().retryInterval(odd).build(),
                draft().drainTimeout(odd).build(),
                draft().pollInterval(odd).build(),
                draft().recordCheckInterval(odd).build(),
                draft().splay(odd).build(),
                draft().coolDown(odd).build())) {
            assertThat(other).isNotEqualTo(timing);
        }
        assertThat(timing).isNotEqualTo("lease=60 s");
    }

    @Test
    void itSaysAllSettingsInWords() {
        assertThat(LeaseTiming.of(L))
                .hasToString("maxClockRatio=1.1 lease=60 s deadlineMargin=600 ms renewInterval=20 s requestTimeout=4 s"
                        + " retryInterval=1500 ms drainTimeout=10 s pollInterval=6 s recordCheckInterval=30 s"
                        + " splay=1200 ms coolDown=15 s step=1200 ms");
        assertThat(LeaseTiming.of(Duration.ofMillis(100)).toString()).contains("renewInterval=33333 us");
    }
}
