package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Observation;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule 9: faults. A fault is retried after 10 s. */
class Rule09FaultsTest {
    private static final String MESSAGE = "no right to read the table mandate_election";

    /** "A <em>refusal</em> is an answer and carries what stands there, or says that it can't." */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRefusalIsAnAnswer(boolean refusalShows) {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                .store(ModelOptions.DEFAULT.withRefusalShows(refusalShows))
                .idle();
        rig.campaign("value");
        rig.answer(ElectionAction.Read.class);
        rig.rivalTakes(Rig.L);

        rig.answer(ElectionAction.Acquire.class);

        assertThat(rig.role()).isInstanceOf(refusalShows ? Role.Following.class : Role.Doubting.class);
        if (!refusalShows) {
            rig.pass(Duration.ofMillis(250));
            rig.answer(ElectionAction.Read.class);
        }
        Observation.Held shown = rig.last(ElectionAction.Observed.class).view().held();
        assertThat(shown).isNotNull();
        assertThat(shown.record().incarnation()).isEqualTo(Rig.RIVAL);
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
    }

    /** "A <em>permanent</em> fault [...] is [...] shown in status at once and retried slowly." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void permanentFaultIsRetriedSlowly(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");

        rig.fault(rig.only(ElectionAction.Read.class), MESSAGE);

        assertThat(rig.last(ElectionAction.Fault.class).message()).isEqualTo(MESSAGE);
        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.FAULTY);
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.pass(Duration.ofMillis(9_999));
        assertThat(rig.said(ElectionAction.Read.class)).hasSize(1);
        rig.pass(Duration.ofMillis(1));
        assertThat(rig.said(ElectionAction.Read.class)).hasSize(2);
    }

    /** A fault is shown once for as long as it lasts, and its end is shown, too. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aFaultIsShownOnceAndItsEndIsShown(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        for (int i = 0; i < 20; i++) {
            rig.fault(rig.only(ElectionAction.Read.class), MESSAGE);
            rig.pass(Duration.ofSeconds(10));
            rig.all(SessionAction.Renew.class).forEach(rig::answer);
        }
        assertThat(rig.said(ElectionAction.Fault.class)).hasSize(1);

        rig.serve();

        assertThat(rig.said(ElectionAction.Fault.class)).hasSize(2);
        assertThat(rig.last(ElectionAction.Fault.class).message()).isNull();
    }

    /** What a faulted acquire did is unknown like that of any failed one; the next try is slow. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aFaultedAcquireIsUnknownAndSlowlyRetried(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);

        rig.fault(rig.only(ElectionAction.Acquire.class), MESSAGE);

        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
        rig.passServed(Duration.ofMillis(9_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
        rig.passServed(Duration.ofMillis(1));
        rig.passServed(Duration.ofMillis(250));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(2);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** A release that the store will not have is not asked four times a second. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aFaultedReleaseIsRetriedSlowly(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.workStopped();

        rig.fault(rig.only(ElectionAction.Release.class), MESSAGE);
        rig.pass(Duration.ofMillis(9_999));

        assertThat(rig.said(ElectionAction.Release.class)).hasSize(1);
    }

    /** While a term is at stake its renewal is tried as often as after any other failure. */
    @Test
    void aFaultedRenewalIsTriedAsLongAsTheTermLasts() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.pass(Duration.ofMillis(3_334));

        rig.fault(rig.only(ElectionAction.Update.class), MESSAGE);
        rig.pass(Duration.ofMillis(250));

        rig.answer(ElectionAction.Update.class);
        assertThat(rig.isValid()).isTrue();
        assertThat(rig.last(ElectionAction.Fault.class).message()).isNull();
    }

    /** The store refuses sessions: shown once, retried slowly. */
    @Test
    void aFaultedSessionIsRetriedSlowlyAndShownOnce() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).idle();
        rig.campaign("value");
        for (int i = 0; i < 10; i++) {
            rig.fault(rig.only(SessionAction.Open.class), MESSAGE);
            rig.pass(Duration.ofMillis(9_999));
            assertThat(rig.all(SessionAction.Open.class)).isEmpty();
            rig.pass(Rig.MILLI);
        }
        assertThat(rig.said(SessionAction.Fault.class))
                .extracting(SessionAction.Fault::message)
                .containsExactly(MESSAGE);

        rig.answer(SessionAction.Open.class);

        assertThat(rig.said(SessionAction.Fault.class)).hasSize(2);
        assertThat(rig.last(SessionAction.Fault.class).message()).isNull();
    }

    /** A fault in renewing is shown once, too, and while the session lives it is tried on. */
    @Test
    void aFaultInRenewingIsShownOnceAndTriedOn() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.pass(Duration.ofMillis(3_334));
        for (int i = 0; i < 4; i++) {
            rig.fault(rig.only(SessionAction.Renew.class), MESSAGE);
            // The pause is the retry spacing twice, so that three tries always fit, and grows from then on.
            rig.pass(Duration.ofMillis(i < 2 ? 250 : 250L << i - 1));
        }
        assertThat(rig.said(SessionAction.Fault.class)).hasSize(1);

        rig.answer(SessionAction.Renew.class);

        assertThat(rig.isValid()).isTrue();
        assertThat(rig.last(SessionAction.Fault.class).message()).isNull();
    }

    /** Another message is another fault; one that answers no request of ours is nobody's. */
    @Test
    void anotherFaultIsShownAndAStrangersIsNot() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).idle();
        rig.campaign("value");
        rig.fault(rig.only(SessionAction.Open.class), "one");
        rig.on(new SessionEvent.Faulted(4_711, "stranger"));
        rig.pass(Duration.ofSeconds(10));
        rig.fault(rig.only(SessionAction.Open.class), "two");

        assertThat(rig.said(SessionAction.Fault.class))
                .extracting(SessionAction.Fault::message)
                .containsExactly("one", "two");
    }

    /** A latched session that cannot be ended is not asked four times a second either. */
    @Test
    void aFaultedEndOfASessionIsRetriedSlowly() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.workStopped();
        rig.serve();
        SessionLease session =
                Objects.requireNonNull(rig.last(ElectionAction.Acquire.class).session());
        session.cell().latch();
        rig.on(new SessionEvent.Latched(session));

        rig.fault(rig.only(SessionAction.End.class), MESSAGE);
        rig.pass(Duration.ofMillis(9_999));

        assertThat(rig.said(SessionAction.End.class)).hasSize(1);
    }

    /** Credentials that rotate heal by themselves: what was faulty is well after one good answer. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aFaultHealsByItself(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.waiting.stream().toList().forEach(r -> rig.fault(r, MESSAGE));

        rig.passServed(Duration.ofSeconds(11));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** A refusal may say how long asking again is pointless: a lock-delay. But not for ever. */
    @Test
    void aRefusalMaySayWhenToAskAgain() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.campaign("value");
        rig.answer(ElectionAction.Read.class);

        rig.answer(
                rig.only(ElectionAction.Acquire.class), WriteOutcome.refusedFor(Duration.ofSeconds(15), rig.stored()));
        rig.passServed(Duration.ofMillis(14_999));
        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
        rig.pass(Rig.MILLI);

        rig.answer(
                rig.only(ElectionAction.Acquire.class),
                WriteOutcome.refusedFor(Duration.ofSeconds(Long.MAX_VALUE), rig.stored()));
        rig.passServed(Duration.ofSeconds(60));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /**
     * A store that lost data gives older terms: they are refused, with a message, until they have grown past what was
     * seen.
     */
    @Test
    void aTermThatWentBackIsRefused() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.passServed(Duration.ofSeconds(10));
        rig.workStopped();
        rig.serve();
        long newest = rig.lastTerm().number();
        rig.pass(Duration.ofMillis(2_500));
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        Observation.Held old = Observation.held(
                Rig.KEY,
                rig.stored().basis(),
                (dev.mandate.spi.Liveness) rig.stored().basis(),
                newest,
                acquire.proposal());

        rig.answer(acquire, WriteOutcome.renewed(old, Rig.L));

        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(1);
        assertThat(rig.said(ElectionAction.Fault.class).get(0).message())
                .contains("term " + newest)
                .contains("lost data");
        assertThat(rig.all(ElectionAction.Release.class)).hasSize(1);
    }

    /** Grants that make no sense are no grants, and nothing is believed because of them. */
    @Test
    void aGrantThatMakesNoSenseIsNoGrant() {
        for (Duration nonsense : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            Rig session = Rig.on(StoreKind.REMOVES_SESSION).idle();
            session.campaign("value");
            SessionAction.Open open = session.only(SessionAction.Open.class);
            session.lose(open);
            session.on(new SessionEvent.Opened(open.request(), new TestServer.TestSession(1, nonsense)));
            assertThat(session.all(SessionAction.End.class)).hasSize(1);
            session.passServed(Duration.ofSeconds(1));
            assertThat(session.role()).isInstanceOf(Role.Leading.class);
            LeaseWindow before = session.lastTerm().cell().window();

            session.pass(Duration.ofSeconds(3));
            SessionAction.Renew renew = session.only(SessionAction.Renew.class);
            session.lose(renew);
            session.on(new SessionEvent.Renewed(renew.request(), SessionRenewal.renewed(nonsense)));
            assertThat(session.lastTerm().cell().window()).isEqualTo(before);

            Rig record = Rig.leading(StoreKind.REMOVES_RECORD);
            before = record.lastTerm().cell().window();
            record.pass(Duration.ofMillis(3_334));
            record.answer(record.only(ElectionAction.Update.class), WriteOutcome.renewed(record.stored(), nonsense));
            assertThat(record.lastTerm().cell().window()).isEqualTo(before);
            assertThat(record.isValid()).isTrue();
        }
    }

    /** A grant beyond all bounds is worth what was asked for. */
    @Test
    void aGrantBeyondAllBoundsIsWorthWhatWasAskedFor() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).idle();
        rig.campaign("value");
        SessionAction.Open open = rig.only(SessionAction.Open.class);
        rig.lose(open);

        rig.on(new SessionEvent.Opened(
                open.request(), new TestServer.TestSession(1, Duration.ofSeconds(Long.MAX_VALUE))));
        rig.pass(Duration.ofMillis(3_334));

        assertThat(rig.all(SessionAction.Renew.class)).hasSize(1);
    }
}
