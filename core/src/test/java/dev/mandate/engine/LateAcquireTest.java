package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.internal.memory.ModelOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rule 3 on stores with sessions: an acquire that was never answered may land as long as its session lives, which would
 * keep it alive.
 */
class LateAcquireTest {
    private static final ModelOptions LATE_LANDING = ModelOptions.DEFAULT.with(ModelOptions.VacantBasis.CONSTANT);

    /**
     * "On session stores an election with an unknown acquire behind it stays watched and polled until that session
     * ends, even after withdraw (the session would keep a late record alive for ever)."
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void lateAcquireUnderLivingSessionIsWatchedAfterWithdraw(StoreKind kind) {
        Rig rig = withALostAcquire(kind);
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);
        rig.withdraw();
        rig.serve();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        // Another candidate of this client keeps the session alive: an observer keeps nothing alive.
        rig.passServed(Duration.ofMinutes(3));
        assertThat(rig.isVacant()).isTrue();

        rig.land(acquire);
        assertThat(rig.isVacant()).isFalse();
        rig.passServed(Duration.ofSeconds(37));

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
    }

    /** [...] or until the attempt was seen: it has landed, and will not land again. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void anAttemptThatWasSeenIsNotWatchedAfterWithdraw(StoreKind kind) {
        Rig rig = Rule03UnknownIsARoleTest.doubting(kind, true);
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);

        rig.withdraw();
        rig.workStopped();
        rig.serve();

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
    }

    /**
     * [...] unless it was seen before the time-out of its request, which had failed: a second copy may be on its way.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void anAttemptThatWasSeenEarlyIsWatchedAfterWithdraw(StoreKind kind) {
        Rig rig = seenAtOnce(kind);
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);

        rig.withdraw();
        rig.workStopped();
        rig.serve();
        assertThat(rig.isVacant()).isTrue();
        rig.land(acquire);
        assertThat(rig.isVacant()).isFalse();
        rig.passServed(Duration.ofSeconds(37));

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
    }

    /** [...] and no longer than until a look that follows that time-out. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void anAttemptThatWasSeenEarlyIsNotWatchedForEver(StoreKind kind) {
        Rig rig = seenAtOnce(kind);
        rig.withdraw();
        rig.workStopped();
        rig.serve();
        assertThat(rig.role()).isInstanceOf(Role.Following.class);

        rig.passServed(Duration.ofSeconds(37));

        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
    }

    /** [...] but until what the copy left behind is removed. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aCopyWhoseRemovalFailsIsRemovedLater(StoreKind kind) {
        Rig rig = seenAtOnce(kind);
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);
        rig.withdraw();
        rig.workStopped();
        rig.serve();
        rig.land(acquire);
        rig.hint(rig.stored());
        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Read.class);
        rig.fail(rig.only(ElectionAction.Release.class));

        rig.passServed(Duration.ofSeconds(37));

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
    }

    /** [...] until it is seen after that time, too. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void anAttemptThatIsSeenLaterIsNotWatchedAfterWithdraw(StoreKind kind) {
        Rig rig = seenAtOnce(kind);
        rig.passServed(Duration.ofSeconds(37));

        rig.withdraw();
        rig.workStopped();
        rig.serve();

        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
    }

    /** [...] unless an older one may yet land under the same session. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void anOlderAttemptIsWatchedAlthoughTheNewestWasSeen(StoreKind kind) {
        Rig rig = withALostAcquire(kind);
        ElectionAction.Acquire first = rig.last(ElectionAction.Acquire.class);
        rig.answer(ElectionAction.Read.class);
        rig.pass(Duration.ofMillis(250));
        ElectionAction.Acquire second = rig.only(ElectionAction.Acquire.class);
        rig.land(second);
        rig.lose(second);
        rig.pass(Duration.ofSeconds(1));
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        rig.withdraw();
        rig.workStopped();
        rig.serve();
        assertThat(rig.isVacant()).isTrue();

        rig.land(first);
        assertThat(rig.isVacant()).isFalse();
        rig.passServed(Duration.ofSeconds(37));

        assertThat(rig.isVacant()).isTrue();
    }

    /** "[...] until that session ends": then there is nothing left to watch. */
    @Test
    void theWatchOverALateAcquireEndsWithItsSession() {
        Rig rig = withALostAcquire(StoreKind.REMOVES_SESSION);
        rig.withdraw();
        rig.serve();
        assertThat(rig.role()).isInstanceOf(Role.Following.class);

        rig.pause(Duration.ofSeconds(10));
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
        assertThat(rig.machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** A session that ended while its acquire was under way has nothing to haunt anybody with. */
    @Test
    void anUnknownAcquireUnderAnEndedSessionIsNotWatched() {
        Rig rig = Rule03UnknownIsARoleTest.acquiring(StoreKind.REMOVES_SESSION);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        SessionLease session = acquire.session();
        assertThat(session).isNotNull();
        session.cell().latch();
        rig.on(new SessionEvent.Latched(session));
        rig.answer(SessionAction.End.class);

        rig.withdraw();
        rig.fail(acquire);
        rig.passServed(Duration.ofSeconds(5));

        assertThat(rig.role()).isInstanceOf(Role.Idle.class);
    }

    /** Whoever stands again while it is watched looks at once, not when the next seldom look is due. */
    @Test
    void aNewCandidacyLooksAtOnce() {
        Rig rig = watchedAfterWithdraw();

        rig.campaign("again");
        rig.passServed(Duration.ofMillis(10));
        rig.rivalReleases();
        rig.passServed(Duration.ofSeconds(2));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    @Test
    void aNewObserverLooksAtOnce() {
        Rig rig = watchedAfterWithdraw();

        rig.observe(true);
        rig.passServed(Duration.ofMillis(10));
        rig.rivalReleases();
        rig.passServed(Duration.ofSeconds(2));

        assertThat(rig.last(ElectionAction.Observed.class).view().state()).isEqualTo(View.State.VACANT);
        int reads = rig.said(ElectionAction.Read.class).size();
        rig.observe(true);
        assertThat(rig.said(ElectionAction.Read.class))
                .as("nothing new is wanted")
                .hasSize(reads);
    }

    /** A leader whose acquire failed at once although it had landed, and was found by the look after that. */
    private static Rig seenAtOnce(StoreKind kind) {
        Rig rig = Rig.on(kind).store(LATE_LANDING).idle();
        rig.campaign("value");
        rig.answer(ElectionAction.Read.class);
        rig.answer(SessionAction.Open.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.land(acquire);
        rig.fail(acquire);
        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        return rig;
    }

    /** A candidate that waits no more for the answer to its acquire, which may land late. */
    private static Rig withALostAcquire(StoreKind kind) {
        Rig rig = Rig.on(kind).store(LATE_LANDING).idle();
        rig.campaign("value");
        rig.answer(ElectionAction.Read.class);
        rig.answer(SessionAction.Open.class);
        rig.lose(rig.only(ElectionAction.Acquire.class));
        rig.pass(Duration.ofSeconds(1));
        return rig;
    }

    /** Withdrawn, and looking seldom, because an acquire may yet land; a rival leads meanwhile. */
    private static Rig watchedAfterWithdraw() {
        Rig rig = withALostAcquire(StoreKind.REMOVES_SESSION);
        rig.rivalTakes(Duration.ofHours(1));
        rig.withdraw();
        rig.passServed(Duration.ofMinutes(1));
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        return rig;
    }
}
