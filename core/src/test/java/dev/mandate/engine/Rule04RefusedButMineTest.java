package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule 4: refused, but the record shows my own live attempt. */
class Rule04RefusedButMineTest {
    /**
     * "Refused, but the record shows my own live attempt (an earlier write of mine landed [...]): take the new basis,
     * do not move the deadline, go on." Whether the refusal says what stands there, or a read has to.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusedWithOwnLiveAttemptKeepsTheTerm(boolean refusalShows) {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                .store(ModelOptions.DEFAULT.withRefusalShows(refusalShows))
                .leading();
        LeaseWindow before = rig.lastTerm().cell().window();
        rig.pass(Duration.ofMillis(3_334));
        ElectionAction.Update landed = rig.only(ElectionAction.Update.class);
        rig.land(landed);
        rig.lose(landed);
        rig.pass(Duration.ofMillis(1_250));

        rig.answer(ElectionAction.Update.class);
        rig.all(ElectionAction.Read.class).forEach(rig::answer);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.isValid()).isTrue();
        assertThat(rig.lastTerm().cell().window()).isEqualTo(before);
        assertThat(rig.held().basis()).isEqualTo(rig.storedHeld().basis());
        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Update.class);
        assertThat(rig.lastTerm().cell().window().sentNanos()).isEqualTo(rig.nanos);
    }

    /**
     * The same of a proclaim that landed without an answer: it is confirmed by what stands there, and the term goes on.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aProclaimThatLandedIsConfirmedByWhatStandsThere(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.proclaim(1, "moved");
        ElectionAction.Update landed = rig.only(ElectionAction.Update.class);
        rig.land(landed);
        rig.lose(landed);
        rig.pass(Duration.ofMillis(1_250));

        rig.answer(ElectionAction.Update.class);

        assertThat(rig.last(ElectionAction.Proclaimed.class).written()).isTrue();
        assertThat(rig.isValid()).isTrue();
    }

    /** An acquire that is refused by its own twin (a doubled request) has won all the same, counted from its send. */
    @Test
    void anAcquireRefusedByItselfHasWon() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.campaign("value");
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        long sent = rig.nanos;
        rig.land(acquire);
        rig.pass(Duration.ofMillis(500));

        rig.answer(acquire);

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.lastTerm().cell().window().sentNanos()).isEqualTo(sent);
    }

    /**
     * "[...] only another attempt [...] end[s] a term": the same candidate id or even the same incarnation is not the
     * same attempt.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anotherAttemptEndsTheTerm(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        LeaderRecord mine = rig.storedHeld().record();
        rig.update(
                new LeaderRecord(
                        mine.candidate(),
                        Rig.RIVAL,
                        new Id(7, 7),
                        mine.value(),
                        mine.lease(),
                        mine.term(),
                        false,
                        0,
                        mine.unknown()),
                Intent.PROCLAIM);

        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(250));

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.DISPLACED);
    }

    /** "[...] vacancy [...]." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void vacancyEndsTheTerm(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.server.model.delete(Rig.KEY, rig.nanos);

        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(250));

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
    }

    /** "[...] the session's end [...]": all terms under it are told, and nothing is released that is gone. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void theSessionsEndEndsTheTerm(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.server.model.endLease(Rig.KEY, rig.nanos);

        rig.pass(Duration.ofMillis(3_334));
        rig.answer(SessionAction.Renew.class);

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.SESSION_ENDED);
        rig.workStopped();
        assertThat(rig.said(ElectionAction.Release.class)).isEmpty();
        rig.serve();
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.isValid()).isTrue();
    }

    /** "[...] or the leave flag on our own live attempt end a term; the flag does so by rule 6, with cool-down." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void leaveFlagEndsTheTermByStopThenRelease(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.askToLeave();

        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(250));

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.EVICTED);
        rig.passServed(Duration.ofSeconds(1));
        assertThat(rig.said(ElectionAction.Release.class)).isEmpty();
        assertThat(rig.isVacant()).isFalse();
        rig.workStopped();
        rig.serve();
        assertThat(rig.isVacant()).isTrue();
        rig.passServed(Duration.ofMillis(2_499));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
        rig.passServed(Duration.ofMillis(1));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** The flag dies with its attempt (section 5): the next term is not asked to leave. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theLeaveFlagDiesWithItsAttempt(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.askToLeave();
        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(250));
        rig.workStopped();
        rig.passServed(Duration.ofSeconds(3));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.storedHeld().record().leave()).isFalse();
    }

    /**
     * "[...] every update of that attempt keeps it" (section 5): renewing while the work drains does not unset the
     * flag.
     */
    @Test
    void renewingWhileDrainingKeepsTheLeaveFlag() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.passServed(Duration.ofSeconds(3));
        rig.askToLeave();
        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(1_500));

        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        assertThat(rig.last(ElectionAction.Update.class).intent()).isEqualTo(Intent.RENEW);
        assertThat(rig.last(ElectionAction.Update.class).record().leave()).isTrue();
        assertThat(rig.storedHeld().record().leave()).isTrue();
    }

    /** The flag never extends a leader's deadline (section 5). */
    @Test
    void theLeaveFlagMovesNoDeadline() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                .store(ModelOptions.DEFAULT.withUpdatesRenew(true))
                .leading();
        LeaseWindow before = rig.lastTerm().cell().window();
        rig.pass(Duration.ofSeconds(2));
        rig.askToLeave();

        rig.hint(rig.stored());
        rig.answer(ElectionAction.Read.class);

        assertThat(rig.lastTerm().cell().window()).isEqualTo(before);
    }

    /** The first update of a record writes its term in, and no later one changes it (section 5). */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theFirstUpdateWritesTheTermInAndNoLaterOneChangesIt(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        long term = rig.lastTerm().number();
        assertThat(rig.storedHeld().record().term()).isZero();

        rig.proclaim(1, "one");
        rig.serve();
        assertThat(rig.storedHeld().record().term()).isEqualTo(term);
        rig.proclaim(2, "two");
        rig.serve();

        assertThat(rig.storedHeld().record().term()).isEqualTo(term);
        assertThat(rig.lastTerm().number()).isEqualTo(term);
        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(1);
    }

    /** "From outside, only [...] end a term": a refusal that cannot say what stands there ends nothing by itself. */
    @Test
    void aRefusalThatShowsNothingEndsNothing() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.pass(Duration.ofMillis(3_334));

        rig.answer(rig.only(ElectionAction.Update.class), dev.mandate.spi.WriteOutcome.refused());

        assertThat(rig.isValid()).isTrue();
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
        Observation.Held stands = rig.storedHeld();
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.held().basis()).isEqualTo(stands.basis());
    }

    /**
     * An acquire was sent twice by something in between, and the second copy refused because of the first, too late:
     * the record is looked at.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aLateRefusalThatShowsTheLiveAttemptKillsNothing(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.land(acquire);
        rig.pass(Duration.ofSeconds(1));

        rig.answer(acquire, WriteOutcome.refused(rig.stored()));
        rig.passServed(Duration.ofMillis(300));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }
}
