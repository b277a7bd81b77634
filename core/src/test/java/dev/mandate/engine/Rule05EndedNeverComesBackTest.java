package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Observation;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 5: an ended term never comes back. */
class Rule05EndedNeverComesBackTest {

    /** "Winning again is a new attempt and a new term." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void endedTermNeverComesBack(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        Term first = rig.lastTerm();
        rig.resign();
        rig.workStopped();
        rig.passServed(Duration.ofSeconds(5));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        Term second = rig.lastTerm();
        assertThat(second.number()).isGreaterThan(first.number());
        assertThat(second.attempt()).isNotEqualTo(first.attempt());
        assertThat(second.check(rig::now)).isEqualTo(LeaseCell.Verdict.OPEN);
        assertThat(first.check(rig::now)).isEqualTo(LeaseCell.Verdict.LATCHED);
        assertThat(first.isEnded()).isTrue();
        assertThat(first.remainingNanos(rig.now())).isZero();
    }

    /** "[...] whoever first sees the deadline passed [...] latches it ended; a later extension is void." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRenewalConfirmedAfterSomebodySawTheStopIsVoid(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofMillis(6_500));
        Action renewal =
                kind.sharesSession() ? rig.newest(SessionAction.Renew.class) : rig.newest(ElectionAction.Update.class);
        Answer answer = rig.land(renewal);
        rig.pause(Duration.ofMillis(825));

        // A caller's thread looks just before the answer reaches the loop.
        assertThat(rig.lastTerm().check(rig::now)).isEqualTo(LeaseCell.Verdict.LATCHED_NOW);
        rig.deliver(renewal, answer);

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.said(ElectionAction.End.class)).hasSize(1);
        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** The same where nobody looked: "expiry is tested before the event is looked at" (section 4). */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRenewalConfirmedAfterTheStopIsVoidEvenIfNobodyLooked(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofMillis(6_500));
        Action renewal =
                kind.sharesSession() ? rig.newest(SessionAction.Renew.class) : rig.newest(ElectionAction.Update.class);
        Answer answer = rig.land(renewal);
        rig.pause(Duration.ofMillis(825));

        rig.deliver(renewal, answer);

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.said(ElectionAction.End.class)).hasSize(1);
    }

    /** "[...] a foreign latch enters the machines as an event." */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aForeignLatchOfATermEndsIt(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.stepWall(Duration.ofSeconds(8));
        assertThat(rig.isValid()).isFalse();
        assertThat(rig.said(ElectionAction.End.class)).isEmpty();

        rig.on(new ElectionEvent.TermLatched(rig.lastTerm().number()));

        assertThat(rig.said(ElectionAction.End.class)).hasSize(1);
        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** A latch of another term is none of this one's business. */
    @Test
    void theLatchOfAnotherTermEndsNothing() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);

        rig.on(new ElectionEvent.TermLatched(rig.lastTerm().number() + 1));

        assertThat(rig.isValid()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /**
     * "The cell belongs to whatever owns the deadline: the session's for all its terms [...]; a latched session is
     * never renewed again except to cover drain and overrun: a new one is opened."
     */
    @Test
    void aForeignLatchOfASessionEndsAllItsTermsAndAnotherIsOpened() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        dev.mandate.spi.RecordKey other = dev.mandate.spi.RecordKey.election("others");
        rig.take(rig.machine.on(other, new ElectionEvent.Campaign("value"), rig.now()));
        rig.serve();
        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(2);
        SessionLease session = rig.last(ElectionAction.Acquire.class).session();
        assertThat(session).isNotNull();
        rig.stepWall(Duration.ofSeconds(8));
        assertThat(rig.isValid()).isFalse();

        rig.on(new SessionEvent.Latched(session));

        assertThat(rig.said(ElectionAction.End.class)).hasSize(2);
        rig.log.clear();
        rig.said(ElectionAction.Begin.class);
        // While work drains under it, it is renewed; a new one is opened at once.
        rig.passServed(Duration.ofMillis(1_500));
        assertThat(rig.said(SessionAction.Open.class)).hasSize(1);
        assertThat(rig.said(SessionAction.End.class)).isEmpty();
    }

    /** As above: with nothing to cover, a latched session is ended and not renewed. */
    @Test
    void aLatchedSessionThatCoversNothingIsEnded() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.resign();
        rig.workStopped();
        rig.serve();
        SessionLease session = rig.last(ElectionAction.Acquire.class).session();
        assertThat(session).isNotNull();
        rig.log.clear();
        rig.stepWall(Duration.ofSeconds(8));
        assertThat(session.isOpen(rig.now())).isFalse();

        rig.on(new SessionEvent.Latched(session));
        rig.passServed(Duration.ofSeconds(2));

        assertThat(rig.said(SessionAction.End.class)).hasSize(1);
        assertThat(rig.said(SessionAction.Open.class)).hasSize(1);
        assertThat(rig.said(SessionAction.Renew.class)).noneMatch(r -> r.handle() == session.handle());
    }

    /** An older session that is renewed to cover work says nothing of how opening the next one goes. */
    @Test
    void openingsThatFailGetSeldomThoughTheFormerSessionIsRenewed() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).overrun(OverrunPolicy.HOLD).leading();
        rig.pause(Duration.ofMillis(7_400));
        rig.tick();
        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);

        for (int i = 0; i < 400; i++) {
            rig.pass(Duration.ofMillis(50));
            rig.all(SessionAction.Renew.class).forEach(rig::answer);
            rig.all(SessionAction.Open.class).forEach(rig::fail);
        }

        // Two leases: a few retries sooner than the poll, and then one for each poll.
        assertThat(rig.said(SessionAction.Renew.class)).hasSizeGreaterThan(4);
        assertThat(rig.said(SessionAction.Open.class)).hasSizeLessThan(22);
    }

    /** Renewing a latched session to cover work does not reopen it. */
    @Test
    void coveringDoesNotReopenALatchedSession() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        Term term = rig.lastTerm();
        rig.pause(Duration.ofMillis(7_400));
        rig.tick();
        assertThat(rig.only(SessionAction.Renew.class).handle())
                .isSameAs(rig.last(ElectionAction.Acquire.class).session().handle());

        rig.serve();

        assertThat(term.check(rig::now)).isEqualTo(LeaseCell.Verdict.LATCHED);
        assertThat(term.cell().isLatched()).isTrue();
        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
    }

    /**
     * A request that reaches the store twice may make a record anew that had gone: with another token, which nobody was
     * told.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRecordThatIsMadeAnewIsNotTheTerm(StoreKind kind) {
        Rig rig = Rig.on(kind)
                .store(ModelOptions.DEFAULT.with(ModelOptions.VacantBasis.CONSTANT))
                .leading();
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.land(acquire);
        assertThat(rig.storedHeld().term()).isGreaterThan(rig.lastTerm().number());

        rig.hint(rig.stored());
        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));
        rig.passServed(Duration.ofSeconds(1));

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
        long made = rig.storedHeld().term();
        rig.workStopped();
        rig.passServed(Duration.ofSeconds(1));
        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
        assertThat(rig.lastTerm().number()).as("another term").isGreaterThan(made);
    }
}
