package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 2: everybody else waits L, from after they saw. */
class Rule02EverybodyElseWaitsTest {

    /**
     * "Where the store does not expire leases itself, a challenger waits a full L of its <em>own</em> clock without any
     * change. A cold challenger therefore waits L."
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void challengerWaitsFullLeaseFromFirstSight(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        // The holder is long dead, but this challenger has never seen it.
        rig.pause(Duration.ofHours(1));
        rig.campaign("value");
        rig.serve();

        rig.passServed(Duration.ofMillis(9_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "[...] from after they saw": the wait begins when the answer arrived, not when it was asked for. */
    @Test
    void theWaitBeginsWhenTheAnswerArrived() {
        Rig rig = Rig.on(StoreKind.JUDGES_RECORD).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        Answer answer = rig.land(read);
        rig.pass(Duration.ofMillis(900));
        rig.deliver(read, answer);

        rig.passServed(Duration.ofMillis(9_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
    }

    /** "[...] without any change": every sign of life starts the wait afresh. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aSignOfLifeStartsTheWaitAfresh(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        long session = rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.passServed(Duration.ofSeconds(8));
        rig.rivalRenews(session);

        // It is seen by the next look, 8.75 s after the first.
        rig.passServed(Duration.ofMillis(750));
        rig.passServed(Duration.ofMillis(9_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** A hint that comes late shows an older sign of life than the one that is known: that is none. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aLateHintDoesNotRestartAChallengersWait(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        long session = rig.rivalTakes(Rig.L);
        Observation older = rig.stored();
        rig.rivalRenews(session);
        rig.campaign("value");
        rig.serve();

        rig.passServed(Duration.ofSeconds(8));
        rig.hint(older);
        rig.passServed(Duration.ofMillis(1_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** What a hint shows while a look is under way may be newer than what the look shows. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aHintThatOvertakesALookRestartsAChallengersWait(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        long session = rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.passServed(Duration.ofMillis(100));
        rig.rivalRenews(session);
        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(9_800));
        rig.pass(Duration.ofMillis(100));
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        Answer answer = rig.land(read);
        rig.rivalRenews(session);
        rig.pass(Duration.ofMillis(50));

        rig.hint(rig.stored());
        rig.pass(Duration.ofMillis(50));
        rig.deliver(read, answer);
        rig.passServed(Duration.ofMillis(9_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(600));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "[...] so that a proclaim or a leave flag does not restart a challenger's wait" (section 5, of rule 2). */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void proclaimDoesNotRestartAChallengersWait(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        for (int i = 0; i < 9; i++) {
            rig.passServed(Duration.ofSeconds(1));
            rig.update(rig.storedHeld().record().withValue("v" + i), Intent.PROCLAIM);
        }
        rig.askToLeave();

        rig.passServed(Duration.ofMillis(999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));
        assertThat(rig.said(ElectionAction.Acquire.class)).isNotEmpty();
        // Its basis was older than the leave flag. The refusal shows the newer one, and the wait is over all the same.
        rig.passServed(Duration.ofMillis(500));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "L is the lease in the record": candidates with other settings are waited for as long as they believe. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void theLeaseInTheRecordIsWaitedFor(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Duration.ofSeconds(25));
        rig.campaign("value");
        rig.serve();

        rig.passServed(Duration.ofMillis(24_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** A record may name any lease: one beyond what a clock can hold is waited for, not wrapped around. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aLeaseBeyondAllBoundsIsNeverTakenEarly(StoreKind kind) {
        for (Duration lease : new Duration[] {
            Duration.ofSeconds(Long.MAX_VALUE), Duration.ofNanos(Long.MAX_VALUE), Duration.ofNanos(Long.MAX_VALUE - 1)
        }) {
            Rig rig = Rig.on(kind).idle();
            rig.rivalTakes(Rig.L);
            Observation.Held seen = rig.storedHeld();
            rig.update(
                    new dev.mandate.spi.LeaderRecord(
                            "b",
                            Rig.RIVAL,
                            seen.record().attempt(),
                            "rival",
                            lease,
                            seen.term(),
                            false,
                            0,
                            java.util.Map.of()),
                    Intent.PROCLAIM);
            rig.campaign("value");

            rig.passServed(Duration.ofMinutes(5));

            assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        }
    }

    /** "Where the store does not expire leases itself": where it does, nobody outlives anybody. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "REMOVES_RECORD"})
    void whereTheStoreRemovesOnlyAVacancyIsTaken(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        long session = rig.rivalTakes(Rig.L);
        rig.campaign("value");
        for (int i = 0; i < 20; i++) {
            rig.passServed(Duration.ofSeconds(5));
            rig.rivalRenews(session);
        }
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();

        rig.passServed(Duration.ofMillis(11_250));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "Every waiting side takes monotonic time only: a wall step must never shorten a wait" (end of section 4). */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void wallStepNeverShortensAWait(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.passServed(Duration.ofSeconds(1));

        rig.stepWall(Duration.ofHours(1));
        // The own session was latched by the step, and another one opened: that costs nothing here.
        rig.passServed(Duration.ofMillis(8_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
    }

    /** A record of our own is released, not outlived. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aRecordOfOurOwnIsNotOutlived(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.resign();
        rig.workStopped();
        rig.lose(rig.only(ElectionAction.Release.class));

        rig.pass(Duration.ofSeconds(60));

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
    }

    /** A holder with a short lease may renew between two reads: only a read that shows silence makes it a vacancy. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void nobodyIsToldOfASilenceThatNoLookHasShown(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        long session = rig.rivalTakes(Duration.ofSeconds(1));
        rig.observe(true);
        for (int i = 0; i < 40; i++) {
            rig.passServed(Duration.ofMillis(300));
            rig.rivalRenews(session);
        }
        assertThat(rig.said(ElectionAction.Observed.class))
                .noneMatch(o -> o.view().state() == View.State.VACANT);

        // The last renewal is seen by the next look, and the silence after it by the second.
        rig.passServed(Duration.ofMillis(2_600));

        assertThat(rig.last(ElectionAction.Observed.class).view().state()).isEqualTo(View.State.VACANT);
    }

    /** "[...] {@code explain()} says so." */
    @Test
    void theBoundsNameTheColdStart() {
        LeaseTiming timing = Rig.TIMING;

        assertThat(timing.bounds(StoreKind.JUDGES_SESSION.traits()).coldStart()).isEqualTo(Rig.L);
        assertThat(timing.bounds(StoreKind.REMOVES_SESSION.traits()).coldStart())
                .isZero();
    }
}
