package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Observation;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 3: unknown is a role. */
class Rule03UnknownIsARoleTest {
    private static final ModelOptions LATE_LANDING = ModelOptions.DEFAULT.with(ModelOptions.VacantBasis.CONSTANT);

    /**
     * "Only a read showing the live attempt turns it into a term": an acquire that was never answered is neither won
     * nor lost.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void unknownAcquireIsNeitherWinNorLoss(StoreKind kind) {
        Rig rig = doubting(kind, true);

        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.UNSURE);
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        // No second try before it is known what became of the first.
        rig.lose(rig.only(ElectionAction.Read.class));
        rig.pass(Duration.ofSeconds(3));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
    }

    /** The same when the call failed at once instead of timing out. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aFailedAcquireIsUnknownToo(StoreKind kind) {
        Rig rig = acquiring(kind);

        rig.fail(rig.only(ElectionAction.Acquire.class));

        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
        rig.pass(Duration.ofMillis(250));
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
    }

    /** "Only a read showing the live attempt turns it into a term." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aReadThatShowsTheLiveAttemptMakesItATerm(StoreKind kind) {
        Rig rig = doubting(kind, true);

        rig.answer(ElectionAction.Read.class);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.isValid()).isTrue();
    }

    /**
     * "[...] its deadline is [...] that attempt's send + L/q − deadlineMargin", not that of the read which showed it.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void theDeadlineOfADoubtfulWinCountsFromTheSendOfItsAcquire(StoreKind kind) {
        Rig rig = acquiring(kind);
        long sent = rig.nanos;
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.land(acquire);
        rig.lose(acquire);
        rig.pass(Duration.ofSeconds(1));
        rig.lose(rig.only(ElectionAction.Read.class));
        rig.pass(Duration.ofSeconds(3));

        rig.answer(rig.newest(ElectionAction.Read.class));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        LeaseWindow window = rig.lastTerm().cell().window();
        assertThat(window.sentNanos()).isEqualTo(sent);
        assertThat(window.stopAtNanos()).isBetween(sent + 7_324_000_000L, sent + 7_325_000_000L);
    }

    /** "[...] its deadline is the session's where a session keeps the lease." */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void theDeadlineOfADoubtfulWinIsTheSessions(StoreKind kind) {
        Rig rig = doubting(kind, true);
        SessionLease session = rig.last(ElectionAction.Acquire.class).session();

        rig.answer(ElectionAction.Read.class);

        assertThat(session).isNotNull();
        assertThat(rig.lastTerm().cell()).isSameAs(session.cell());
    }

    /** "(stopAt already past: never a term, release it)." */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aDoubtfulWinWhoseStopIsPastIsReleasedAndNeverATerm(StoreKind kind) {
        Rig rig = acquiring(kind);
        long sent = rig.nanos;
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.lose(acquire);
        rig.pass(Duration.ofMillis(500));
        // It lands late, and its reply is lost as well.
        rig.land(acquire);
        rig.loseAll();
        rig.passUntil(sent + 7_400_000_000L);
        rig.loseAll();
        rig.pass(Duration.ofMillis(1_250));

        rig.answer(rig.all(ElectionAction.Read.class).get(0));

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        rig.answer(ElectionAction.Release.class);
        assertThat(rig.isVacant()).isTrue();
    }

    /** The same where the session that keeps the lease was latched meanwhile. */
    @Test
    void aDoubtfulWinUnderALatchedSessionIsNeverATerm() {
        Rig rig = doubting(StoreKind.REMOVES_SESSION, true);
        rig.all(ElectionAction.Read.class).forEach(rig::lose);
        rig.pause(Duration.ofSeconds(8));
        rig.tick();
        rig.all(ElectionAction.Read.class).forEach(rig::answer);

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        rig.passServed(Duration.ofSeconds(1));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.storedHeld().isAttempt(rig.lastTerm().attempt())).isTrue();
    }

    /**
     * A read that shows anything else is no loss either: the attempt lives on until superseded, and may yet be found.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "REMOVES_SESSION"})
    void theAttemptLivesOnWhenAReadDoesNotShowIt(StoreKind kind) {
        Rig rig = Rig.on(kind).store(LATE_LANDING).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.lose(acquire);
        rig.pass(Duration.ofSeconds(1));

        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        // Somebody leads for an instant, so that no other attempt is made; then the old one lands.
        rig.rivalTakes(Rig.L);
        rig.hint(rig.stored());
        rig.rivalReleases();
        rig.land(acquire);
        rig.hint(rig.stored());
        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Read.class);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
    }

    /**
     * "A machine has at most one <em>live</em> attempt, the newest": an older one that lands late is a stray, never a
     * term.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aSupersededAttemptThatLandsLateIsAStrayAndRemovedUnderItsExactBasis(StoreKind kind) {
        Rig rig = Rig.on(kind).store(LATE_LANDING).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire first = rig.only(ElectionAction.Acquire.class);
        rig.lose(first);
        rig.pass(Duration.ofSeconds(1));
        rig.answer(ElectionAction.Read.class);
        rig.pass(Duration.ofMillis(250));
        ElectionAction.Acquire second = rig.only(ElectionAction.Acquire.class);

        // The older one overtakes the newer.
        rig.land(first);
        Observation.Held stray = rig.storedHeld();
        rig.answer(second);

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        ElectionAction.Release removal = rig.only(ElectionAction.Release.class);
        assertThat(removal.basis().basis()).isEqualTo(stray.basis());
        rig.answer(removal);
        assertThat(rig.isVacant()).isTrue();
        rig.passServed(Duration.ofSeconds(2));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "[...] if we lead at that moment, the term stops first." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aStrayUnderATermStopsTheTermFirst(StoreKind kind) {
        Rig rig = Rig.on(kind).store(LATE_LANDING).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire first = rig.only(ElectionAction.Acquire.class);
        rig.lose(first);
        rig.pass(Duration.ofSeconds(1));
        rig.serve();
        rig.passServed(Duration.ofMillis(250));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);

        // An operator frees the record, and the old acquire lands.
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.land(first);
        rig.gap();
        rig.serve();

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.DISPLACED);
        // As long as the work runs its own stray keeps others out.
        rig.passServed(Duration.ofSeconds(1));
        assertThat(rig.isVacant()).isFalse();
        assertThat(rig.said(ElectionAction.Release.class)).isEmpty();
        rig.workStopped();
        rig.serve();
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
    }

    /** "[...] elsewhere a stray expires by itself": nothing is watched after a withdrawal. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void whereRecordsExpireByThemselvesNothingIsWatchedAfterWithdraw(StoreKind kind) {
        Rig rig = doubting(kind, false);

        rig.withdraw();
        rig.serve();

        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
        assertThat(rig.machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** A late refusal that shows what stands instead is an answer: the attempt did not land and never will. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aLateRefusalThatShowsSomethingElseEndsTheDoubt(StoreKind kind) {
        Rig rig = doubting(kind, false);
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);
        rig.rivalTakes(Rig.L);

        rig.answer(acquire, WriteOutcome.refused(rig.stored()));

        assertThat(rig.role()).isInstanceOf(Role.Following.class);
    }

    /** One that shows nothing proves nothing: an earlier copy of the request may have won. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aLateRefusalThatShowsNothingProvesNothing(StoreKind kind) {
        Rig rig = doubting(kind, true);
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);

        rig.answer(acquire, WriteOutcome.refused());

        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** The same of a refusal in time: the second copy of a request may be refused because the first has won. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRefusalThatShowsNothingIsADoubtUntilALook(StoreKind kind) {
        Rig rig = acquiring(kind);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.land(acquire);

        rig.answer(acquire, WriteOutcome.refused());
        rig.withdraw();

        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();
        rig.passServed(Duration.ofSeconds(1));
        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
    }

    /**
     * Once a look has shown something else, an attempt that was refused is dead: should it be seen after all, it is a
     * stray.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anAttemptThatWasRefusedIsDeadOnceALookDoesNotShowIt(StoreKind kind) {
        Rig rig = Rig.on(kind).store(LATE_LANDING).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.rivalTakes(Rig.L);
        rig.answer(acquire, WriteOutcome.refused());
        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Following.class);

        rig.rivalReleases();
        rig.land(acquire);
        rig.gap();
        rig.passServed(Duration.ofMillis(250));

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
    }

    /** A late confirmation is none: the record may be gone again. It makes the machine look. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aLateConfirmationProvesNothing(StoreKind kind) {
        Rig rig = acquiring(kind);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        Answer late = rig.land(acquire);
        rig.lose(acquire);
        rig.pass(Duration.ofSeconds(1));
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.rivalTakes(Rig.L);

        rig.take(late.deliver(rig.machine, rig.now()));
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        rig.answer(read);

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
    }

    /**
     * "Records are matched by attempt, never by candidate" (section 1): another client with our candidate id is
     * somebody else.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRecordOfTheSameCandidateIdIsNotOurs(StoreKind kind) {
        Rig rig = doubting(kind, false);
        long session = kind.sharesSession() ? rig.server.model.openSession(Rig.L.toNanos(), rig.nanos) : 0;
        rig.server.model.acquire(
                Rig.KEY,
                rig.stored(),
                dev.mandate.spi.LeaderRecord.proposal("a", Rig.RIVAL, new dev.mandate.spi.Id(9, 9), "value", Rig.L, 0),
                session,
                rig.nanos,
                rig.wallMillis);

        rig.answer(ElectionAction.Read.class);

        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Release.class)).isEmpty();
    }

    /** An answer that makes no sense is unknown, too, and holds nobody up. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aConfirmationThatShowsAnotherAttemptIsNoWin(StoreKind kind) {
        Rig rig = acquiring(kind);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);

        rig.answer(acquire, WriteOutcome.written(rig.stored()));

        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
        rig.passServed(Duration.ofSeconds(3));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /**
     * A read that was asked for before a hint showed that somebody wrote over the attempt proves nothing: it is asked
     * again. The token is still that of the attempt, which says nothing about the store.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aReadThatAHintOvertookIsAskedAgain(StoreKind kind) {
        Rig rig = doubting(kind, false);
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        // The next attempt is only made when the pause after the first is over.
        rig.land(acquire);
        Observation.Held mine = rig.storedHeld();
        rig.hint(mine);
        rig.pass(Duration.ofMillis(249));
        rig.gap();
        rig.pass(Duration.ofMillis(1));
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        Answer seen = rig.land(read);
        rig.hint(Observation.foreign(Rig.KEY, mine.basis(), mine.liveness(), mine.term(), "stranger", null));

        rig.deliver(read, seen);

        assertThat(rig.said(ElectionAction.Fault.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Release.class)).isEmpty();
        rig.pass(Duration.ofMillis(250));
        assertThat(rig.only(ElectionAction.Read.class)).isNotEqualTo(read);
    }

    /**
     * A stray under a living session would keep everybody out for ever: beyond what the policy promises, work that is
     * stuck keeps it no longer.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aStrayIsRemovedAlthoughWorkIsStuckOnceThePolicyIsSatisfied(StoreKind kind) {
        Rig rig = Rig.on(kind).store(LATE_LANDING).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire first = rig.only(ElectionAction.Acquire.class);
        rig.lose(first);
        rig.pass(Duration.ofSeconds(1));
        rig.serve();
        rig.passServed(Duration.ofMillis(250));
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.land(first);
        rig.gap();
        rig.serve();
        assertThat(rig.lossReason()).isEqualTo(EndReason.DISPLACED);

        // The drain budget and one more lease.
        rig.passServed(Duration.ofMillis(11_600));
        assertThat(rig.isVacant()).isFalse();
        rig.passServed(Duration.ofMillis(100));

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.WAITING_FOR_OVERRUN);
    }

    static Rig acquiring(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Acquiring.class);
        return rig;
    }

    /** The acquire was not answered in time; one read waits. */
    static Rig doubting(StoreKind kind, boolean landed) {
        Rig rig = acquiring(kind);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        if (landed) {
            rig.land(acquire);
        }
        rig.lose(acquire);
        rig.pass(Duration.ofSeconds(1));
        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
        return rig;
    }
}
