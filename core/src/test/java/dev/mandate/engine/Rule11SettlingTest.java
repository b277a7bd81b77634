package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.Settle;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 11: settling. */
class Rule11SettlingTest {

    /** "Settling (off by default [...])": after a Mandate record nothing settles. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void nothingSettlesByDefault(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.rivalReleases();

        rig.passServed(Duration.ofMillis(1_250));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "[...] held and renewed but not announced for {@code settle}." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void settlingAnnouncesLater(StoreKind kind) {
        Rig rig = Rig.on(kind).settle(Settle.ALWAYS).idle();
        rig.rivalTakes(Duration.ofSeconds(20));
        rig.campaign("value");
        rig.serve();
        rig.rivalReleases();
        rig.passServed(Duration.ofMillis(1_250));
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.SETTLING);

        // "After a Mandate record the L in that record": 20 s, twice our own lease, so it is renewed meanwhile.
        rig.passServed(Duration.ofMillis(19_999));
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        rig.passServed(Rig.MILLI);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.isValid()).isTrue();
    }

    /** "Observers see it as held, not yet announced." */
    @Test
    void observersSeeASettlingWinAsHeld() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).settle(Settle.ALWAYS).following();

        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        assertThat(rig.last(ElectionAction.Observed.class).view().state()).isEqualTo(View.State.LED);
        assertThat(rig.last(ElectionAction.Observed.class).view().held()).isSameAs(rig.held());
    }

    /** Where nobody was ever seen, the own L is as good a guess as any. */
    @Test
    void whereNobodyWasSeenTheOwnLeaseIsSettledFor() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).settle(Settle.ALWAYS).following();

        rig.passServed(Duration.ofMillis(9_999));
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        rig.passServed(Rig.MILLI);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /**
     * "[...] on when a foreign record was just seen [...]; after a foreign one the setting, default max(L, the lease
     * the foreign key had)."
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "REMOVES_SESSION"})
    void afterAForeignRecordItSettlesByDefault(StoreKind kind) {
        settlesAfterForeign(Rig.on(kind), Duration.ofSeconds(30), Duration.ofSeconds(30));
        settlesAfterForeign(Rig.on(kind), Duration.ofSeconds(2), Rig.L);
        settlesAfterForeign(
                Rig.on(kind).settleTime(Duration.ofSeconds(5)), Duration.ofSeconds(30), Duration.ofSeconds(5));
        settlesAfterForeign(
                Rig.on(kind).settle(Settle.ALWAYS).settleTime(Duration.ofSeconds(5)),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5));
    }

    private static void settlesAfterForeign(RigDraft draft, Duration foreignLease, Duration settle) {
        Rig rig = draft.idle();
        rig.server.model.overwriteForeign(Rig.KEY, "stranger", foreignLease, rig.nanos);
        rig.campaign("value");
        rig.serve();
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.hint(rig.stored());
        rig.serve();
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);

        rig.passServed(settle.minus(Rig.MILLI));
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        rig.passServed(Rig.MILLI);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);

        // The foreign program is not settled for a second time.
        rig.workStopped();
        rig.passServed(Duration.ofMillis(2_500));
        if (rig.settings.settle() == Settle.AFTER_FOREIGN) {
            assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        }
    }

    /** "[...] off" means off. */
    @Test
    void neverMeansNever() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).settle(Settle.NEVER).idle();
        rig.server.model.overwriteForeign(Rig.KEY, "stranger", Duration.ofSeconds(5), rig.nanos);
        rig.campaign("value");
        rig.passServed(Duration.ofSeconds(7));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** A foreign lease that makes no sense is waited for like our own. */
    @Test
    void aForeignLeaseWithoutSenseIsSettledForLikeOurOwn() {
        Rig rig = Rig.on(StoreKind.JUDGES_RECORD).idle();
        rig.server.model.overwriteForeign(Rig.KEY, "stranger", Duration.ofSeconds(-5), rig.nanos);
        rig.campaign("value");

        rig.passServed(Duration.ofMillis(9_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofSeconds(10));
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        rig.passServed(Rig.MILLI);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "Every waiting side (rule 2, settling, [...]) takes monotonic time only" (end of section 4). */
    @Test
    void aWallStepDoesNotShortenSettling() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).settle(Settle.ALWAYS).following();
        rig.passServed(Duration.ofSeconds(1));

        rig.stepWall(Duration.ofSeconds(7));
        rig.tick();

        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        rig.passServed(Duration.ofSeconds(3));
        // The session's lease was counted on the wall clock, of course.
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
    }

    /** A settling win whose lease runs out was never a term: nothing was announced, nothing ends. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aSettlingWinThatRunsOutIsReleasedUnannounced(StoreKind kind) {
        Rig rig = Rig.on(kind).settle(Settle.ALWAYS).following();
        rig.pass(Duration.ofMillis(7_400));
        rig.loseAll();

        rig.passServed(Duration.ofSeconds(2));

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
        rig.passServed(Duration.ofSeconds(10));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** A settling win that is displaced, deleted, asked to leave or loses its session is given up unannounced. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aSettlingWinIsLostLikeATerm(StoreKind kind) {
        Rig displaced = Rig.on(kind).settle(Settle.ALWAYS).following();
        displaced.server.model.delete(Rig.KEY, displaced.nanos);
        displaced.rivalTakes(Rig.L);
        displaced.hint(displaced.stored());
        displaced.passServed(Duration.ofMillis(250));
        assertThat(displaced.role()).isInstanceOf(Role.Following.class);

        Rig asked = Rig.on(kind).settle(Settle.ALWAYS).following();
        asked.askToLeave();
        asked.hint(asked.stored());
        asked.passServed(Duration.ofMillis(250));
        assertThat(asked.isVacant()).isTrue();
        assertThat(asked.status()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);

        if (kind.sharesSession()) {
            Rig gone = Rig.on(kind).settle(Settle.ALWAYS).following();
            gone.server.model.endLease(Rig.KEY, gone.nanos);
            gone.pass(Duration.ofMillis(3_334));
            gone.answer(SessionAction.Renew.class);
            assertThat(gone.role()).isNotInstanceOf(Role.Settling.class);
        }
        assertThat(displaced.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(asked.said(ElectionAction.Begin.class)).isEmpty();
    }

    /** An acquire that finds itself asked to leave (the flag came before its answer) never becomes a term. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aWinThatIsAskedToLeaveIsNeverATerm(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.land(acquire);
        rig.lose(acquire);
        rig.askToLeave();
        rig.pass(Duration.ofSeconds(1));

        rig.serve();

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
    }

    /** Settling ends by time alone: a resignation means a term that is announced. */
    @Test
    void aSettlingWinCannotBeResigned() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).settle(Settle.ALWAYS).following();

        rig.on(new ElectionEvent.Resign(rig.held().term(), EndReason.RESIGNED));
        rig.on(new ElectionEvent.TermLatched(rig.held().term()));

        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
    }
}
