package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 12: splay, back-off and the eager first try. The splay is 0.2 s. */
class Rule12SplayTest {

    /** "Splay at start": the first look is delayed by a random part of it. */
    @Test
    void theFirstLookIsSplayed() {
        List<Long> firsts = new ArrayList<>();
        for (int seed = 0; seed < 100; seed++) {
            Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                    .entropy(new SeededEntropy(seed))
                    .idle();
            long start = rig.nanos;
            rig.campaign("value");
            while (rig.said(ElectionAction.Read.class).isEmpty()) {
                rig.pass(Rig.MILLI);
            }
            firsts.add((rig.nanos - start) / 1_000_000);
        }

        assertThat(firsts).allMatch(f -> f <= 201);
        assertThat(firsts).anyMatch(f -> f < 50).anyMatch(f -> f > 150);
        assertThat(firsts.stream().distinct().count()).isGreaterThan(50);
    }

    /** "[...] an eager first try after a vacancy": a loser of one race is not slow in the next. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "REMOVES_SESSION"})
    void theFirstTryAfterAVacancyIsEager(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        for (int i = 1; i <= 2; i++) {
            // It sees the vacancy, and loses the race for it.
            rig.rivalReleases();
            var vacant = rig.stored();
            rig.rivalTakes(Rig.L);
            rig.hint(vacant);
            rig.serve();
            assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(i);
        }
        rig.rivalReleases();

        rig.hint(rig.stored());

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(3);
    }

    /** "[...] losers back off with jitter": whoever loses again and again pauses ever longer, up to a poll. */
    @Test
    void losersBackOff() {
        List<Long> pauses = new ArrayList<>();
        for (int seed = 0; seed < 20; seed++) {
            Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                    .entropy(new SeededEntropy(seed))
                    .idle();
            rig.campaign("value");
            rig.passServed(Duration.ofMillis(1));
            while (rig.all(ElectionAction.Acquire.class).isEmpty()) {
                rig.pass(Rig.MILLI);
                rig.all(ElectionAction.Read.class).forEach(rig::answer);
            }
            for (int i = 0; i < 6; i++) {
                // Refused although nobody holds it: no reason to try again at once.
                rig.answer(rig.only(ElectionAction.Acquire.class), WriteOutcome.refused(rig.stored()));
                long refused = rig.nanos;
                while (rig.all(ElectionAction.Acquire.class).isEmpty()) {
                    rig.pass(Rig.MILLI);
                    rig.all(ElectionAction.Read.class).forEach(rig::lose);
                }
                pauses.add((rig.nanos - refused) / 1_000_000);
            }
        }

        assertThat(pauses).allMatch(p -> p >= 125 && p <= 1_251);
        assertThat(pauses).anyMatch(p -> p > 700);
        assertThat(pauses.stream().distinct().count()).isGreaterThan(20);
    }

    /** The third race in a row that is lost costs a pause. */
    @Test
    void theThirdLossInARowCostsAPause() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        for (int i = 0; i < 3; i++) {
            rig.rivalReleases();
            var vacant = rig.stored();
            rig.rivalTakes(Rig.L);
            rig.hint(vacant);
            rig.serve();
        }
        rig.rivalReleases();
        rig.hint(rig.stored());
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(3);

        // 0.25 s doubled three times is more than a poll; half of that is not left to chance.
        rig.pass(Duration.ofMillis(624));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(3);
        rig.pass(Rig.MILLI);

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(4);
    }

    /** A quiet poll forgives: the next race starts afresh. */
    @Test
    void aQuietPollForgivesLosses() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.rivalTakes(Duration.ofSeconds(60));
        rig.campaign("value");
        rig.serve();
        for (int i = 0; i < 2; i++) {
            rig.rivalReleases();
            var vacant = rig.stored();
            rig.rivalTakes(Duration.ofSeconds(60));
            rig.hint(vacant);
            rig.serve();
        }
        rig.passServed(Duration.ofSeconds(2));
        rig.rivalReleases();
        var vacant = rig.stored();
        rig.rivalTakes(Duration.ofSeconds(60));
        rig.hint(vacant);
        rig.serve();
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(3);
        rig.rivalReleases();

        rig.hint(rig.stored());

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(4);
    }

    /** A store that is silent is asked ever less often, down to the poll. */
    @Test
    void aSilentStoreIsAskedEverLessOften() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.observe(true);
        List<Long> gaps = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            rig.fail(rig.only(ElectionAction.Read.class));
            long failed = rig.nanos;
            while (rig.all(ElectionAction.Read.class).isEmpty()) {
                rig.pass(Rig.MILLI);
            }
            gaps.add((rig.nanos - failed) / 1_000_000);
        }

        assertThat(gaps).containsExactly(250L, 500L, 1_000L, 1_250L, 1_250L, 1_250L);
        rig.answer(ElectionAction.Read.class);
        rig.pass(Duration.ofMillis(1_250));
        rig.fail(rig.only(ElectionAction.Read.class));
        rig.pass(Duration.ofMillis(250));
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
    }

    /**
     * A vacancy that refuses everybody, as one does under a lock delay, is asked for ever less often, although looks
     * show it vacant.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aVacancyThatRefusesIsAskedForEverLessOften(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);

        for (int millis = 0; millis < 10_000; millis += 10) {
            rig.pass(Duration.ofMillis(10));
            for (Action request : List.copyOf(rig.waiting)) {
                if (request instanceof ElectionAction.Acquire acquire) {
                    rig.answer(acquire, WriteOutcome.refused());
                } else {
                    rig.answer(request);
                }
            }
        }

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSizeBetween(14, 20);
    }
}
