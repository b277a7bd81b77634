package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 10: campaign until withdrawn. The cool-down begins with 2.5 s. */
class Rule10CampaignUntilWithdrawnTest {

    /** "A lost term re-campaigns; [...] none [no cool-down] after store trouble." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aLostTermRecampaignsAtOnce(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofMillis(7_500));
        rig.loseAll();
        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        rig.workStopped();

        rig.passServed(Duration.ofMillis(1_500));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(2);
    }

    /**
     * "Cool-down with growing back-off after resign, eviction, stalled or failed work": it doubles, up to six leases.
     */
    @ParameterizedTest
    @EnumSource(
            value = EndReason.class,
            names = {"RESIGNED", "COMPLETED", "EVICTED", "FAILED", "STALLED", "UNHEALTHY"})
    void coolDownGrows(EndReason reason) {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        for (int seconds : new int[] {2_500, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000}) {
            rig.on(new ElectionEvent.Resign(rig.lastTerm().number(), reason));
            rig.workStopped();
            rig.serve();
            assertThat(rig.status()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
            int begun = rig.said(ElectionAction.Begin.class).size();

            rig.passServed(Duration.ofMillis(seconds - 1));
            assertThat(rig.said(ElectionAction.Begin.class))
                    .as("%s ms", seconds)
                    .hasSize(begun);
            rig.passServed(Rig.MILLI);
            assertThat(rig.said(ElectionAction.Begin.class))
                    .as("%s ms", seconds)
                    .hasSize(begun + 1);
        }
    }

    /** "[...] growing": a term that lasted for longer than the greatest cool-down starts the growth afresh. */
    @Test
    void aLongTermForgivesEarlierOnes() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        for (int i = 0; i < 3; i++) {
            rig.workStopped();
            rig.passServed(Duration.ofSeconds(11));
        }
        rig.passServed(Duration.ofSeconds(60));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);

        rig.workStopped();
        rig.serve();
        rig.passServed(Duration.ofMillis(2_499));
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        rig.passServed(Rig.MILLI);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** The cool-down begins when others can lead: with the release, not with the end of the term. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theCoolDownBeginsWithTheRelease(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.resign();
        rig.passServed(Duration.ofSeconds(6));
        assertThat(rig.isVacant()).isFalse();
        rig.workStopped();
        rig.serve();
        assertThat(rig.isVacant()).isTrue();

        rig.passServed(Duration.ofMillis(2_499));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
        rig.passServed(Rig.MILLI);

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(2);
    }

    /** A cool-down is no reason to look away: who leads meanwhile is known. */
    @Test
    void coolingDownIsFollowing() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.workStopped();
        rig.serve();
        rig.rivalTakes(Rig.L);

        rig.passServed(Duration.ofMillis(1_250));

        assertThat(Objects.requireNonNull(
                                rig.last(ElectionAction.Observed.class).view().held())
                        .record()
                        .incarnation())
                .isEqualTo(Rig.RIVAL);
    }

    /**
     * "Campaign until withdrawn": a withdrawal while following ends the candidacy at once, and nothing is asked any
     * more.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aWithdrawnFollowerAsksNothingAnyMore(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();

        rig.withdraw();

        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        rig.serve();
        rig.log.clear();
        rig.passServed(Duration.ofMinutes(2));
        assertThat(rig.said(ElectionAction.Request.class)).isEmpty();
    }

    /** A withdrawn leader stops, releases, and only then is the candidacy over. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aWithdrawnLeaderStopsAndReleasesFirst(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.withdraw();
        assertThat(rig.lossReason()).isEqualTo(EndReason.WITHDRAWN);
        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();
        rig.workStopped();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();

        rig.answer(ElectionAction.Release.class);

        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.isVacant()).isTrue();
        rig.passServed(Duration.ofMinutes(1));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
    }

    /** A withdrawal while the acquire is under way: what it won is released, and never a term. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whatIsWonAfterAWithdrawalIsReleased(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        rig.withdraw();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();

        rig.serve();

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.isVacant()).isTrue();
    }

    /** A withdrawal ends a settling win. */
    @Test
    void aWithdrawalEndsASettlingWin() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                .settle(dev.mandate.Settle.ALWAYS)
                .following();
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);

        rig.withdraw();
        rig.serve();

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
    }

    /** The candidacy of a leader whose work overruns is over when the work is. */
    @Test
    void aWithdrawalWaitsForOverrunWork() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.withdraw();
        rig.passServed(Duration.ofMinutes(1));
        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();

        rig.workStopped();

        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
    }

    /** A withdrawal of what does not stand is not answered; and one who observes goes on observing. */
    @Test
    void aWithdrawalIsAnsweredOnceAndLeavesObserversAlone() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.withdraw();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();

        rig.observe(true);
        rig.campaign("value");
        rig.serve();
        rig.withdraw();
        rig.workStopped();
        rig.serve();
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        int reads = rig.said(ElectionAction.Read.class).size();
        rig.passServed(Duration.ofSeconds(2));
        assertThat(rig.said(ElectionAction.Read.class)).hasSizeGreaterThan(reads);

        rig.observe(false);
        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
    }

    /** A second campaign changes nothing; one after a withdrawal publishes its own value. */
    @Test
    void aCampaignAfterAWithdrawalPublishesItsOwnValue() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.campaign("ignored");
        assertThat(rig.storedHeld().record().value()).isEqualTo("value");
        rig.withdraw();
        rig.workStopped();
        rig.serve();

        rig.campaign("another");
        rig.passServed(Duration.ofSeconds(1));

        assertThat(rig.storedHeld().record().value()).isEqualTo("another");
    }

    /** A resignation of another term, or while nothing is led, changes nothing. */
    @Test
    void aResignationOfAnotherTermChangesNothing() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);

        rig.on(new ElectionEvent.Resign(rig.lastTerm().number() - 1, EndReason.RESIGNED));
        rig.on(new ElectionEvent.WorkStopped(rig.lastTerm().number() - 1));

        assertThat(rig.isValid()).isTrue();
    }
}
