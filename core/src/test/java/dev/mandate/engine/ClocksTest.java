package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three clocks on the leader's side, one on every waiting side. */
class ClocksTest {

    /**
     * The renewal is sent; a second later the wall clock is set back while the machine runs; a second later the machine
     * is suspended for longer than a lease. Somebody else leads by then, and whatever the wall clock says, the machine
     * that wakes does not.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aSuspensionEndsBeliefThoughTheWallClockWasSetBackBefore(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofSeconds(1));
        rig.stepWall(Duration.ofSeconds(-60));
        rig.pass(Duration.ofSeconds(1));
        assertThat(rig.isValid()).isTrue();

        rig.suspend(Duration.ofSeconds(15));

        assertThat(rig.isValid()).isFalse();
        rig.clocksMoved();
        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** In any order, and by any amount. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void noSettingOfTheWallClockHidesASuspension(StoreKind kind) {
        for (long set : new long[] {-3_600, -15, 0, 15, 3_600}) {
            Rig during = Rig.leading(kind);
            during.suspend(Duration.ofSeconds(4));
            during.stepWall(Duration.ofSeconds(set));
            during.suspend(Duration.ofSeconds(4));
            assertThat(during.isValid()).isFalse();

            Rig after = Rig.leading(kind);
            after.suspend(Duration.ofSeconds(8));
            after.stepWall(Duration.ofSeconds(-8 + set));
            after.pass(Duration.ofMillis(1));
            assertThat(after.isValid()).isFalse();
        }
    }

    /** Told that the clocks ran apart, the machine wants its tick at the stop on the clock that counts from boot. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aTermEndsAtItsStopAfterAShortSuspensionThatTheWallClockHides(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.suspend(Duration.ofSeconds(7));
        rig.stepWall(Duration.ofSeconds(-7));

        rig.clocksMoved();
        rig.pass(Duration.ofMillis(310));
        assertThat(rig.lossReason()).isNull();
        rig.pass(Duration.ofMillis(5));

        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /**
     * A wall clock that was corrected after a pause which no other clock noticed: it is believed, for it can only end
     * something earlier.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void wallClockOutrunningEndsBelief(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofSeconds(1));

        rig.stepWall(Duration.ofMillis(6_323));
        assertThat(rig.isValid()).isTrue();
        rig.stepWall(Duration.ofMillis(1));

        assertThat(rig.isValid()).isFalse();
    }

    /** The loop sees it, too, at the first event after the suspension. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theLoopEndsATermThatOutlivedASuspension(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.stepWall(Duration.ofHours(1));

        rig.gap();
        rig.pass(Duration.ofMillis(3_334));

        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(rig.isValid()).isFalse();
    }

    /** Told that the clocks ran apart, the machine wants its tick at the stop on the wall clock. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aTermEndsAtItsStopOnTheWallClockOnceTheLoopIsToldOfASuspension(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.stepWall(Duration.ofSeconds(7));

        rig.clocksMoved();
        rig.pass(Duration.ofMillis(320));
        assertThat(rig.lossReason()).isNull();
        rig.pass(Duration.ofMillis(5));

        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** A wall clock that steps back prolongs nothing: the monotonic one decides then. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aBackwardWallStepProlongsNothing(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.stepWall(Duration.ofHours(-1));

        rig.pass(Duration.ofMillis(7_323));
        assertThat(rig.isValid()).isTrue();
        rig.pass(Duration.ofMillis(2));

        assertThat(rig.isValid()).isFalse();
    }

    /** A monotonic clock that is handed over backwards is taken to stand still. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aMonotonicClockThatGoesBackStandsStill(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofSeconds(5));
        long reached = rig.nanos;

        rig.nanos -= 3_000_000_000L;
        rig.gap();
        rig.resign();
        rig.nanos = reached;
        rig.pass(Duration.ofMillis(1_667));

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /**
     * Where the monotonic clock begins has no meaning: the same happens on one that is negative, and on one that passes
     * zero.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whereTheMonotonicClockBeginsHasNoMeaning(StoreKind kind) {
        List<String> positive = life(kind, 5_000_000_000_000L);

        assertThat(life(kind, -5_000_000_000_000L)).isEqualTo(positive);
        assertThat(life(kind, -20_000_000_000L)).isEqualTo(positive);
        assertThat(life(kind, 0)).isEqualTo(positive);
    }

    private static List<String> life(StoreKind kind, long origin) {
        Rig rig = Rig.on(kind).origin(origin).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.passServed(Duration.ofSeconds(3));
        rig.rivalReleases();
        rig.passServed(Duration.ofSeconds(40));
        rig.proclaim(1, "moved");
        rig.gap();
        rig.passServed(Duration.ofSeconds(5));
        rig.resign();
        rig.passServed(Duration.ofSeconds(12));
        rig.workStopped();
        rig.passServed(Duration.ofSeconds(12));
        rig.pass(Duration.ofSeconds(12));
        rig.workStopped();
        rig.passServed(Duration.ofSeconds(12));
        rig.close();
        rig.workStopped();
        rig.passServed(Duration.ofSeconds(5));
        assertThat(rig.machine.isClosed()).isTrue();
        return rig.log.stream()
                .map(a -> a.toString().replaceAll("untilNanos=-?\\d+|sentNanos=-?\\d+|overrunAtNanos=-?\\d+", ""))
                .map(a -> a.replaceAll("sinceMillis=\\d+", "").replaceAll("dev\\.mandate\\.\\S+@[0-9a-f]+", ""))
                .collect(Collectors.toList());
    }

    /** A wall clock that runs wild makes an overrun neither earlier nor its cover shorter. */
    @Test
    void aWallStepDoesNotShortenTheCoverOfAnOverrun() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.resign();
        rig.passServed(Duration.ofSeconds(2));
        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);

        rig.stepWall(Duration.ofHours(1));
        rig.passServed(Duration.ofMillis(9_600));
        assertThat(rig.isVacant()).isFalse();
        rig.passServed(Duration.ofMillis(100));

        assertThat(rig.isVacant()).isTrue();
    }
}
