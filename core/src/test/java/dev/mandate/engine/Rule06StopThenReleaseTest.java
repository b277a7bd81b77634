package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.spi.Intent;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 6: stop, then release. The drain budget is 1.667 s. */
class Rule06StopThenReleaseTest {

    /**
     * "Ending a term makes {@code isValid()} false, interrupts the work and waits for it (drain budget) while renewing;
     * the drain may still use its token; then comes the release."
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void releaseComesAfterWorkStopped(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.passServed(Duration.ofSeconds(2));
        rig.resign();

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.said(ElectionAction.End.class)).hasSize(1);
        rig.passServed(Duration.ofMillis(1_600));
        assertThat(rig.said(ElectionAction.Release.class)).isEmpty();
        assertThat(rig.isVacant()).isFalse();

        rig.workStopped();
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
        rig.serve();
        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
    }

    /** "[...] while renewing": the lease does not run out under work that is being stopped. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theLeaseIsRenewedWhileWorkDrains(StoreKind kind) {
        Rig rig = Rig.on(kind).overrun(OverrunPolicy.HOLD).leading();
        rig.resign();

        rig.passServed(Duration.ofSeconds(60));

        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        assertThat(rig.isVacant()).isFalse();
        long renewals = kind.sharesSession()
                ? rig.said(SessionAction.Renew.class).size()
                : rig.said(ElectionAction.Update.class).stream()
                        .filter(u -> u.intent() == Intent.RENEW)
                        .count();
        assertThat(renewals).isBetween(17L, 19L);
    }

    /**
     * The loop was held up past the stop of the session and finds no request under way: the session must not be ended
     * before its elections have said that they still need it.
     */
    @Test
    void aLatchedSessionIsNotEndedWhileWorkDrainsUnderIt() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);

        rig.pause(Duration.ofMillis(7_400));
        rig.tick();

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        assertThat(rig.said(SessionAction.End.class)).isEmpty();
        rig.answer(SessionAction.Renew.class);
        rig.workStopped();
        assertThat(rig.said(SessionAction.End.class)).hasSize(1);
    }

    /** Work that ended by itself ends its term, and is released at once. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void workThatEndsByItselfEndsTheTerm(StoreKind kind) {
        Rig rig = Rig.leading(kind);

        rig.workStopped();

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.RESIGNED);
        assertThat(rig.all(ElectionAction.Release.class)).hasSize(1);
    }

    /** "Work that outlives the budget is reported loudly as an <em>overrun</em>": once. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void workThatOutlivesItsBudgetIsReportedOnce(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.resign();
        rig.passServed(Duration.ofMillis(1_666));
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();

        rig.passServed(Duration.ofSeconds(30));

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
        assertThat(rig.last(ElectionAction.Overrun.class).term()).isSameAs(rig.lastTerm());
    }

    /** On whichever clock the deadline passes first: one of them stands still while the machine is suspended. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anOverrunIsReportedAtOnceWhenTheMachineWasSuspendedPastTheDeadline(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.resign();
        rig.passServed(Duration.ofMillis(100));

        rig.suspend(Duration.ofSeconds(3));
        rig.clocksMoved();
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();
        rig.suspend(Duration.ofSeconds(60));
        rig.clocksMoved();

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /** Work that has no time at all to stop is reported with the end of its term. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void workWithoutABudgetIsReportedAsItsTermEnds(StoreKind kind) {
        LeaseTiming timing = LeaseTiming.of(Rig.L, 1.1)
                .drainTimeout(Duration.ZERO)
                .splay(Duration.ZERO)
                .build();
        Rig rig = Rig.on(kind).timing(timing).leading();

        rig.resign();

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /** However its end is called: work of a term whose deadline has passed has no time left. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aSessionThatIsLongOverLeavesItsWorkNoTime(StoreKind kind) {
        Rig rig = Rig.leading(kind);

        rig.pause(Duration.ofSeconds(30));
        rig.on(new SessionEvent.Unanswered(-1));

        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /** A session may be given up long before its stop: then its work has its budget, and not until the deadline. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aSessionThatIsGivenUpLeavesItsWorkTheBudget(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        SessionLease session = rig.last(ElectionAction.Acquire.class).session();

        session.cell().latch();
        rig.on(new SessionEvent.Latched(session));
        rig.pass(Duration.ofNanos(rig.timing.drainTimeoutNanos() - 1));
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();
        rig.pass(Duration.ofMillis(1));

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /** "[...] the lease is held for one more L, then released ({@code onOverrun=release}, default)." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anOverrunIsCoveredForOneMoreLeaseAndThenReleased(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.resign();

        rig.passServed(Duration.ofMillis(11_666));
        assertThat(rig.isVacant()).isFalse();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
    }

    /** The release of an overrun that is not answered is no reason to spin. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theReleaseOfAnOverrunIsAwaitedWithoutSpinning(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.resign();
        rig.passServed(Duration.ofMillis(11_660));
        rig.pass(Duration.ofMillis(10));
        assertThat(rig.all(ElectionAction.Release.class)).hasSize(1);

        assertThat(rig.machine.wakeAtNanos()).isGreaterThan(rig.nanos + 100_000_000);
        rig.pass(Duration.ofSeconds(20));
        assertThat(rig.said(ElectionAction.Release.class).size()).isLessThan(20);
    }

    /** "[...] held until the work ends ({@code hold})." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anOverrunIsHeldUntilTheWorkEnds(StoreKind kind) {
        Rig rig = Rig.on(kind).overrun(OverrunPolicy.HOLD).leading();
        rig.resign();

        rig.passServed(Duration.ofMinutes(5));
        assertThat(rig.isVacant()).isFalse();
        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
        rig.workStopped();
        rig.serve();

        assertThat(rig.isVacant()).isTrue();
    }

    /** After the own deadline a record may be somebody else's to take: it is never renewed. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aRecordIsNeverRenewedAfterItsDeadline(StoreKind kind) {
        Rig rig = Rig.on(kind).overrun(OverrunPolicy.HOLD).leading();
        rig.pause(Duration.ofMillis(8_995));

        rig.tick();
        rig.passServed(Duration.ofSeconds(3));

        assertThat(rig.said(ElectionAction.Update.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /** Between stop and deadline it is: the work that is being stopped is covered. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aRecordIsRenewedBetweenStopAndDeadline(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pause(Duration.ofMillis(7_400));

        rig.tick();

        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        assertThat(rig.only(ElectionAction.Update.class).intent()).isEqualTo(Intent.RENEW);
        assertThat(rig.isValid()).isFalse();
    }

    /**
     * A client that was frozen for longer than its session lives is first handed the answer that had opened it, once
     * more. It is no late opening that nothing depends on.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void theAnswerThatOpenedASessionEndsNothingWhenItComesAgain(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        long opening = rig.only(SessionAction.Open.class).request();
        rig.serve();
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        StoreSession session = rig.last(ElectionAction.Acquire.class).session().handle();
        rig.pause(Duration.ofMinutes(2));

        rig.on(new SessionEvent.Opened(opening, session));

        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(rig.said(SessionAction.End.class)).isEmpty();
    }

    /** "{@code close()} never ends a session that still covers an overrun: it stops renewing and lets it expire." */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void closeNeverEndsASessionCoveringAnOverrun(StoreKind kind) {
        Rig rig = Rig.leading(kind);

        rig.close();
        rig.passServed(Duration.ofMillis(4_700));

        assertThat(rig.machine.isClosed()).isTrue();
        assertThat(rig.isVacant()).isFalse();
        rig.log.clear();
        rig.passServed(Duration.ofMillis(6_500));
        assertThat(rig.said(SessionAction.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Release.class)).isEmpty();
    }

    /** Where nothing runs, close releases first, and ends the session then. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void closeReleasesAndThenEndsTheSession(StoreKind kind) {
        Rig rig = Rig.leading(kind);

        rig.close();
        assertThat(rig.said(SessionAction.End.class)).isEmpty();
        assertThat(rig.machine.isClosed()).isFalse();
        rig.workStopped();
        rig.answer(ElectionAction.Release.class);
        rig.serve();

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.said(SessionAction.End.class)).hasSize(kind.sharesSession() ? 1 : 0);
        assertThat(rig.machine.isClosed()).isTrue();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** A silent store holds up the end of the session for the drain budget and three answers at most. */
    @Test
    void closeDoesNotWaitForASilentStore() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.workStopped();
        rig.loseAll();
        rig.close();
        rig.pass(Duration.ofMillis(4_666));
        assertThat(rig.said(SessionAction.End.class)).isEmpty();

        rig.pass(Duration.ofMillis(1_001));

        assertThat(rig.said(SessionAction.End.class)).isNotEmpty();
        assertThat(rig.machine.wakeAtNanos()).isGreaterThan(rig.nanos);
    }

    /** Nor does the wait make the candidate spin, however long work overruns after a close. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aClosedCandidateWithOverrunWorkDoesNotSpin(StoreKind kind) {
        Rig rig = Rig.on(kind).overrun(OverrunPolicy.HOLD).leading();
        rig.close();

        rig.pass(Duration.ofMinutes(2));

        assertThat(rig.machine.wakeAtNanos()).isGreaterThan(rig.nanos);
    }

    /** Nothing begins after a close. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void nothingBeginsAfterAClose(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.close();
        rig.campaign("value");
        rig.observe(true);

        rig.passServed(Duration.ofSeconds(30));

        assertThat(rig.log).isEmpty();
        assertThat(rig.machine.isClosed()).isTrue();
    }

    /**
     * "While work of an earlier term still runs, its machine does not acquire (status: waiting for overrun work); other
     * candidates may, and other elections of the session are unaffected."
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whileEarlierWorkRunsItsMachineDoesNotAcquire(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.resign();
        rig.passServed(Duration.ofSeconds(60));

        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.WAITING_FOR_OVERRUN);
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
        rig.rivalTakes(Duration.ofSeconds(10));
        rig.rivalReleases();
        RecordKey other = RecordKey.election("others");
        rig.take(rig.machine.on(other, new ElectionEvent.Campaign("value"), rig.now()));
        rig.serve();
        assertThat(rig.machine.role(other)).isInstanceOf(Role.Leading.class);

        rig.on(new ElectionEvent.WorkStopped(
                rig.said(ElectionAction.Begin.class).get(0).term().number()));
        rig.serve();
        rig.passServed(Duration.ofSeconds(3));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "[...] other elections of the session are unaffected" by an overrun that was resigned, not lost. */
    @Test
    void anotherElectionOfTheSessionGoesOnUnderAnOverrun() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        RecordKey other = RecordKey.election("others");
        rig.take(rig.machine.on(other, new ElectionEvent.Campaign("value"), rig.now()));
        rig.serve();
        Term unaffected = rig.lastTerm();

        rig.on(new ElectionEvent.Resign(
                rig.said(ElectionAction.Begin.class).get(0).term().number(), EndReason.RESIGNED));
        rig.passServed(Duration.ofSeconds(60));

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
        assertThat(unaffected.check(rig::now)).isEqualTo(LeaseCell.Verdict.OPEN);
        assertThat(rig.said(SessionAction.End.class)).isEmpty();
    }

    /** A release that was not answered is asked again, until the record is certainly over. */
    @Test
    void anUnansweredReleaseIsAskedAgainUntilTheRecordIsCertainlyOver() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.workStopped();

        rig.pass(Duration.ofMillis(1_250));
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(2);
        rig.pass(Duration.ofMillis(9_750));

        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        assertThat(rig.said(ElectionAction.Release.class).size()).isLessThan(10);
    }

    /** A release that is refused because somebody set the leave flag meanwhile is asked on the new basis. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aReleaseRefusedByAnotherUpdateIsAskedOnTheNewBasis(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.workStopped();
        ElectionAction.Release release = rig.only(ElectionAction.Release.class);
        rig.askToLeave();
        rig.answer(release);
        assertThat(rig.isVacant()).isFalse();

        rig.passServed(Duration.ofMillis(250));

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
    }

    /** A wall clock that is ahead for a moment ends belief then, even if the loop looks once it is right again. */
    @Test
    void aStopThatOneClockClaimedProlongsNoOverrun() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.stepWall(Duration.ofHours(1));
        assertThat(rig.isValid()).isFalse();
        rig.stepWall(Duration.ofHours(-1));

        rig.on(new ElectionEvent.TermLatched(rig.lastTerm().number()));

        overrunsAfterItsDrainBudget(rig);
    }

    private static void overrunsAfterItsDrainBudget(Rig rig) {
        rig.passServed(Duration.ofMillis(1_660));
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();
        rig.passServed(Duration.ofMillis(10));
        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
        rig.passServed(Duration.ofMillis(9_980));
        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        rig.passServed(Duration.ofMillis(20));
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
    }

    /** A release that is refused because somebody else holds the key is done with: nothing of theirs is touched. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aReleaseNeverTouchesALaterTerm(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.workStopped();
        ElectionAction.Release release = rig.only(ElectionAction.Release.class);
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.rivalTakes(Rig.L);

        rig.answer(release);
        rig.passServed(Duration.ofSeconds(5));

        assertThat(rig.storedHeld().record().incarnation()).isEqualTo(Rig.RIVAL);
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
    }

    /** However many sessions cover work that is held, the other elections go on campaigning. */
    @Test
    void sessionsThatCoverHeldWorkKeepNoOtherElectionFromStanding() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).overrun(OverrunPolicy.HOLD).idle();
        for (int i = 0; i < 20; i++) {
            RecordKey key = RecordKey.election("stuck-" + i);
            rig.take(rig.machine.on(key, new ElectionEvent.Campaign("value"), rig.now()));
            // Until its session was renewed: those that end before are spaced, as if they had not been opened.
            rig.passServed(Duration.ofSeconds(4));
            assertThat(rig.machine.role(key)).as("%s", key).isInstanceOf(Role.Leading.class);
            SessionLease session = rig.last(ElectionAction.Acquire.class).session();
            assertThat(session).isNotNull();
            session.cell().latch();
            rig.on(new SessionEvent.Latched(session));
        }

        rig.campaign("value");
        rig.passServed(Duration.ofSeconds(1));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }
}
