package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Stance;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rule 13: where the store says who tries first, each waits for its turn, and nobody longer than 8 steps of 0.2 s.
 * {@link Rule13StanceTest}: how it says that it stands.
 */
class Rule13TurnTest {
    private static final Duration STEP = Duration.ofMillis(200);
    static final Duration LAST = Duration.ofMillis(1_600);
    static final Duration NANO = Duration.ofNanos(1);

    /** Stands, and has just seen that the key is vacant. */
    static Rig seeking(StoreKind kind) {
        return seeking(Rig.on(kind));
    }

    static Rig seeking(RigDraft draft) {
        Rig rig = draft.ordered().following();
        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        assertThat(tries(rig)).isZero();
        return rig;
    }

    /** Stands, and sees a rival that is alive. */
    private static Rig behindARival(StoreKind kind) {
        Rig rig = Rig.on(kind).ordered().idle();
        rig.rivalTakes(Duration.ofSeconds(60));
        rig.campaign("value");
        rig.serve();
        return rig;
    }

    static int tries(Rig rig) {
        return rig.said(ElectionAction.Acquire.class).size();
    }

    static List<Stance> stances(Rig rig) {
        return rig.said(ElectionAction.Stood.class).stream()
                .map(ElectionAction.Stood::stance)
                .toList();
    }

    static void triesAfter(Rig rig, Duration wait) {
        int before = tries(rig);
        rig.passServed(wait.minus(NANO));
        assertThat(tries(rig)).as("tries before its turn").isEqualTo(before);
        rig.passServed(NANO);
        assertThat(tries(rig)).as("tries when its turn has come").isEqualTo(before + 1);
    }

    // ---- the wait ----

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void withoutAnOrderAVacancyIsTakenAtOnce(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.placed(8);
        rig.resign();
        rig.workStopped();
        rig.serve();

        assertThat(rig.said(ElectionAction.Stood.class)).isEmpty();
        rig.passServed(Duration.ofMillis(2_500));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.said(ElectionAction.Stood.class)).isEmpty();
    }

    /** No place is the last place. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whoeverIsToldNothingTriesLast(StoreKind kind) {
        Rig rig = seeking(kind);

        triesAfter(rig, LAST);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7})
    void placeNTriesNStepsAfterItWasTold(int place) {
        Rig rig = seeking(StoreKind.REMOVES_RECORD);
        rig.passServed(Duration.ofMillis(130));

        rig.placed(place);

        if (place == 0) {
            assertThat(tries(rig)).isOne();
        } else {
            Duration left = LAST.minusMillis(130);
            Duration wait = STEP.multipliedBy(place);
            triesAfter(rig, wait.compareTo(left) < 0 ? wait : left);
        }
    }

    /** What is told late moves nothing beyond the last turn, however often it is told, and however senseless it is. */
    @ParameterizedTest
    @ValueSource(ints = {3, 8, 9, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void noPlacePutsOffTheLastTurn(int place) {
        Rig rig = seeking(StoreKind.REMOVES_RECORD);
        for (int i = 0; i < 159; i++) {
            rig.passServed(Duration.ofMillis(10));
            rig.placed(i % 2 == 0 ? place : 7);
        }

        triesAfter(rig, Duration.ofMillis(10));
    }

    @Test
    void theSamePlaceToldTwiceChangesNothing() {
        Rig rig = seeking(StoreKind.REMOVES_RECORD);
        rig.placed(3);
        rig.passServed(STEP);
        rig.placed(3);
        rig.passServed(STEP);
        rig.placed(3);

        triesAfter(rig, STEP);
    }

    @Test
    void aLaterPlaceReplacesAnEarlierOne() {
        Rig rig = seeking(StoreKind.REMOVES_RECORD);
        rig.placed(6);
        rig.passServed(STEP);

        rig.placed(1);
        rig.passServed(Duration.ofMillis(100));
        rig.placed(2);

        triesAfter(rig, STEP.multipliedBy(2));
    }

    /** Said first of all: it proves nothing, and wins nothing. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theFirstPlaceIsNoWin(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.rivalTakes(Rig.L);

        rig.placed(0);

        assertThat(rig.role()).isInstanceOf(Role.Acquiring.class);
        rig.serve();
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        assertThat(rig.stance()).isInstanceOf(Stance.Following.class);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whatIsToldBeforeTheVacancyIsDropped(StoreKind kind) {
        Rig rig = behindARival(kind);
        rig.placed(0);
        rig.passServed(Duration.ofSeconds(2));
        rig.rivalReleases();
        rig.hint(rig.stored());

        triesAfter(rig, LAST);
    }

    // ---- when the wait begins and ends ----

    /**
     * What is known turns outdated, and is looked up: that restarts no wait, or a stream of stale hints would put it
     * off for ever.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void staleHintsRestartNoWait(StoreKind kind) {
        Rig rig = seeking(kind);
        Observation vacant = rig.stored();
        Observation stale = Observation.foreign(Rig.KEY, vacant.basis(), new Alive(), 0, "stranger", null);
        for (int i = 0; i < 15; i++) {
            rig.passServed(Duration.ofMillis(100));
            rig.hint(stale);
            rig.serve();
            assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        }
        rig.passServed(Duration.ofMillis(100).minus(NANO));
        assertThat(tries(rig)).isZero();

        // By the next look at the latest.
        rig.passServed(Duration.ofMillis(251));

        assertThat(tries(rig)).isOne();
    }

    /** A hint of a vacancy is worth a try, but no look, during the wait, too. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aHintOfTheVacancyCostsNoLook(StoreKind kind) {
        Rig rig = behindARival(kind);
        rig.rivalReleases();
        int looks = rig.said(ElectionAction.Read.class).size();

        rig.hint(rig.stored());
        rig.pass(Duration.ofMillis(300));
        rig.hint(rig.stored());

        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        assertThat(rig.said(ElectionAction.Read.class)).hasSize(looks);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aHolderEndsTheWaitAndTheNextVacancyBeginsAnother(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.placed(7);
        rig.passServed(STEP);
        rig.rivalTakes(Duration.ofSeconds(60));
        rig.passServed(Duration.ofMillis(1_250));
        assertThat(rig.stance()).isEqualTo(new Stance.Following(rig.storedHeld().term()));
        rig.passServed(Duration.ofSeconds(3));
        assertThat(tries(rig)).isZero();
        rig.rivalReleases();
        rig.hint(rig.stored());

        triesAfter(rig, LAST);
    }

    /** Where observers judge, the vacancy is the holder's silence, and its next sign of life ends it. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void silenceIsAVacancyAndLifeEndsIt(StoreKind kind) {
        Rig rig = Rig.on(kind).ordered().idle();
        long session = rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        assertThat(rig.stance()).isEqualTo(new Stance.Following(rig.storedHeld().term()));
        rig.passServed(Rig.L.minus(NANO));
        assertThat(rig.stance()).isInstanceOf(Stance.Following.class);

        rig.passServed(NANO);
        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        rig.rivalRenews(session);
        rig.passServed(Duration.ofMillis(1_250));

        assertThat(rig.stance()).isInstanceOf(Stance.Following.class);
        rig.passServed(Rig.L.minusMillis(1_250));
        assertThat(tries(rig)).isZero();
        rig.passServed(Duration.ofMillis(1_250).plus(LAST));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** A try that was not answered keeps its turn: the next one waits for its own pause alone. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aDoubtfulTryKeepsItsTurn(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.placed(0);
        rig.fail(rig.only(ElectionAction.Acquire.class));
        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);

        rig.passServed(Duration.ofMillis(500));

        assertThat(stances(rig)).doesNotHaveDuplicates().endsWith(Stance.Seeking.INSTANCE, rig.stance());
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(tries(rig)).isEqualTo(2);
    }

    /** So does one that was refused for a while, as under a lock delay. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRefusedTryKeepsItsTurn(StoreKind kind) {
        Rig rig = seeking(Rig.on(kind).store(ModelOptions.DEFAULT.withRefusalShows(false)));
        rig.placed(0);
        rig.answer(rig.only(ElectionAction.Acquire.class), WriteOutcome.refusedFor(Duration.ofSeconds(1), null));

        triesAfter(rig, Duration.ofSeconds(1));

        assertThat(stances(rig)).filteredOn(s -> s == Stance.Seeking.INSTANCE).hasSize(1);
    }

    /** Whoever stands no more waits no more; standing again is another wait. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aWithdrawalEndsTheWait(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.placed(4);
        rig.passServed(STEP);
        rig.withdraw();
        assertThat(rig.stance()).isEqualTo(Stance.Absent.INSTANCE);
        rig.passServed(Duration.ofSeconds(3));
        assertThat(tries(rig)).isZero();

        rig.campaign("value");
        rig.serve();

        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        triesAfter(rig, LAST);
    }

    // ---- never a standstill ----

    /**
     * A fault makes others not wait for it, and ends no wait of its own: looks that fail again and again keep nobody
     * from trying.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void looksThatFailForGoodPutOffNoTurn(StoreKind kind) {
        Rig rig = Rig.on(kind).ordered().idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.fault(rig.only(ElectionAction.Read.class), "may not read");
        rig.hint(rig.stored());
        for (int millis = 0; millis < 30_000 && tries(rig) == 0; millis += 100) {
            rig.pass(Duration.ofMillis(100));
            rig.all(SessionAction.Renew.class).forEach(rig::answer);
            rig.all(ElectionAction.Read.class).forEach(read -> rig.fault(read, "may not read"));
        }

        assertThat(tries(rig)).isOne();
        assertThat(stances(rig))
                .containsSubsequence(Stance.Seeking.INSTANCE, Stance.Absent.INSTANCE, Stance.Seeking.INSTANCE);
        rig.all(ElectionAction.Acquire.class).forEach(rig::answer);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** The store has lost its data: that is a fault until a term begins, so it must not keep one from beginning. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aStoreThatIsDistrustedIsTriedAgain(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.placed(0);
        rig.serve();
        long newest = rig.lastTerm().number();
        rig.resign();
        rig.workStopped();
        rig.serve();
        rig.pass(Duration.ofMillis(2_500).plus(LAST));
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        Observation.Held old = Observation.held(Rig.KEY, rig.stored().basis(), new Alive(), newest, acquire.proposal());

        rig.answer(acquire, WriteOutcome.renewed(old, Rig.L));

        assertThat(rig.last(ElectionAction.Fault.class).message()).contains("lost data");

        rig.passServed(Duration.ofSeconds(30));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    record Alive() implements dev.mandate.spi.Liveness {}
}
