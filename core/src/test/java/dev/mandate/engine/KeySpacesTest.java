package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.Settle;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A registration says that somebody is there, and nothing more: it does no work, so it goes by other settings than an
 * election.
 */
class KeySpacesTest {
    private static Rig registered(StoreKind kind) {
        return Rig.on(kind).registering().leading();
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRegistrationNeverSettles(StoreKind kind) {
        Rig rig = Rig.on(kind).settle(Settle.ALWAYS).registering().following();

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRegistrationThatEndsIsReleasedAtOnce(StoreKind kind) {
        Rig rig = registered(kind);

        rig.withdraw();
        assertThat(rig.all(ElectionAction.Release.class)).hasSize(1);
        rig.serve();

        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();
        assertThat(rig.isVacant()).isTrue();
    }

    /** Nobody says that its work has stopped, for it has none. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRegistrationThatIsDeletedIsMadeAgain(StoreKind kind) {
        Rig rig = registered(kind);
        rig.server.model.delete(rig.key, rig.nanos);
        rig.hint(rig.stored());

        rig.passServed(Duration.ofSeconds(1));

        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(2);
        assertThat(rig.storedHeld().isAttempt(rig.lastTerm().attempt())).isTrue();
    }

    /**
     * "No registration ends for want of a sighting": where sessions are renewed it stands, though nothing is ever read.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void noRegistrationEndsForWantOfASighting(StoreKind kind) {
        Rig rig = registered(kind);
        rig.log.clear();

        for (int i = 0; i < 600; i++) {
            rig.pass(Duration.ofSeconds(1));
            rig.all(SessionAction.class).forEach(rig::answer);
        }

        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
        assertThat(rig.said(SweepAction.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Read.class)).isEmpty();
    }

    /** Its service is listed by whoever follows it, and what that shows is passed on. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aListingThatDoesNotShowARegistrationHasItLookedFor(StoreKind kind) {
        Rig rig = registered(kind);
        rig.pass(Duration.ofSeconds(1));
        rig.server.model.delete(rig.key, rig.nanos);

        rig.on(new ElectionEvent.Swept(rig.nanos, null));
        rig.passServed(Duration.ofSeconds(1));

        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
        assertThat(rig.storedHeld().isAttempt(rig.lastTerm().attempt())).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aRegistrationHasALeaseOfItsOwn(StoreKind kind) {
        Rig rig = registered(kind);
        RecordKey election = RecordKey.election("others");
        rig.take(rig.machine.on(election, new ElectionEvent.Campaign("value"), rig.now()));
        rig.serve();
        assertThat(rig.storedHeld().record().lease()).isEqualTo(Rig.REGISTRATION_LEASE);
        assertThat(((Observation.Held) rig.server.model.read(election, rig.nanos))
                        .record()
                        .lease())
                .isEqualTo(Rig.L);
        rig.log.clear();

        rig.passServed(Duration.ofSeconds(35));

        assertThat(rig.said(ElectionAction.Update.class))
                .filteredOn(update -> update.key().equals(rig.key))
                .hasSize(3);
        assertThat(rig.said(ElectionAction.Update.class))
                .filteredOn(update -> update.key().equals(election))
                .hasSize(10);
    }

    /** It is believed for all of its lease but the guard: no work has to be stopped before that. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void aRegistrationIsBelievedToItsDeadline(StoreKind kind) {
        Rig rig = registered(kind);
        LeaseWindow window = rig.lastTerm().cell().window();

        assertThat(window.drainTimeoutNanos()).isZero();
        assertThat(window.stopNanos())
                .isBetween((long) (Rig.REGISTRATION_LEASE.toNanos() * 0.89), Rig.REGISTRATION_LEASE.toNanos());
    }

    /** A store that was emptied gives older tokens. Nothing is fenced by those of a registration. */
    @Test
    void aRegistrationIsMadeInAStoreWhoseTokensWentBack() {
        Rig rig = registered(StoreKind.REMOVES_RECORD);
        rig.server.model.delete(rig.key, rig.nanos);
        rig.hint(rig.stored());
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        Observation.Held older = Observation.held(
                rig.key,
                rig.stored().basis(),
                (dev.mandate.spi.Liveness) rig.stored().basis(),
                1,
                acquire.proposal());

        rig.answer(acquire, WriteOutcome.renewed(older, Rig.REGISTRATION_LEASE));

        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(2);
        assertThat(rig.said(ElectionAction.Fault.class)).isEmpty();
    }

    // ---- what it says after an outage ----

    /** "After an outage the newest state registers again." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whatWasToBePublishedDuringAnOutageIsWhatIsRegisteredAfterIt(StoreKind kind) {
        Rig rig = registered(kind);
        rig.proclaim(1, "newest");
        rig.loseAll();
        rig.pass(Rig.REGISTRATION_LEASE.multipliedBy(2));
        assertThat(rig.said(ElectionAction.End.class)).hasSize(1);
        rig.loseAll();
        rig.log.clear();

        rig.passServed(Rig.REGISTRATION_LEASE.multipliedBy(2));

        assertThat(rig.said(ElectionAction.Acquire.class))
                .isNotEmpty()
                .allSatisfy(acquire -> assertThat(acquire.proposal().value()).isEqualTo("newest"));
        assertThat(rig.storedHeld().record().value()).isEqualTo("newest");
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whatWasSaidBeforeItStandsIsWhatIsRegistered(StoreKind kind) {
        Rig rig = Rig.on(kind).registering().idle();
        rig.campaign("older");
        rig.on(new ElectionEvent.Proclaim(1, 0, "newest"));

        rig.passServed(Duration.ofSeconds(5));

        assertThat(rig.said(ElectionAction.Proclaimed.class))
                .containsExactly(new ElectionAction.Proclaimed(rig.key, 1, false));
        assertThat(rig.storedHeld().record().value()).isEqualTo("newest");
    }

    /** The value of the next candidacy, which waits until the former has been withdrawn, is replaced likewise. */
    @Test
    void whatWasSaidWhileAnEarlierOneIsWithdrawnIsWhatIsRegistered() {
        Rig rig = registered(StoreKind.REMOVES_SESSION);
        rig.withdraw();
        rig.campaign("older");
        rig.on(new ElectionEvent.Proclaim(1, 0, "newest"));

        rig.passServed(Duration.ofSeconds(5));

        assertThat(rig.storedHeld().record().value()).isEqualTo("newest");
    }

    /** What a leader publishes is about its term: the next one begins with what it stood for. */
    @Test
    void whatALeaderPublishedDoesNotOutliveItsTerm() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).leading();
        rig.proclaim(1, "mine");
        rig.serve();
        rig.resign();
        rig.workStopped();

        rig.passServed(Duration.ofMinutes(2));

        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(2);
        assertThat(rig.storedHeld().record().value()).isEqualTo("value");
    }

    /** "A closed one never." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void oneThatIsWithdrawnNeverComesBack(StoreKind kind) {
        Rig rig = registered(kind);
        rig.withdraw();
        rig.loseAll();
        rig.pass(Rig.REGISTRATION_LEASE.multipliedBy(2));
        rig.loseAll();

        rig.passServed(Duration.ofMinutes(5));

        assertThat(rig.said(ElectionAction.Acquire.class)).hasSize(1);
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.isVacant() || kind.traits().expiry() == dev.mandate.spi.Expiry.OBSERVER_JUDGES)
                .isTrue();
    }

    // ---- what a registration must not cost others ----

    private static final RecordKey ELECTION = RecordKey.election("others");

    /** A registration, and beside it an election that this client leads under the same session. */
    private static Rig besideALeader(StoreKind kind) {
        Rig rig = registered(kind);
        rig.take(rig.machine.on(ELECTION, new ElectionEvent.Campaign("value"), rig.now()));
        rig.serve();
        assertThat(rig.machine.role(ELECTION)).isInstanceOf(Role.Leading.class);
        rig.log.clear();
        return rig;
    }

    /** Whatever is asked about the registration meets {@code fate}; everything else is answered. */
    private static void passWithout(Rig rig, Duration howLong, java.util.function.Consumer<Action> fate) {
        long until = rig.nanos + howLong.toNanos();
        while (rig.nanos < until) {
            rig.pass(Duration.ofMillis(250));
            while (!rig.waiting.isEmpty()) {
                Action asked = rig.waiting.get(0);
                boolean isHers = asked instanceof ElectionAction.Request request
                        && request.key().equals(rig.key);
                if (isHers) {
                    fate.accept(asked);
                } else {
                    rig.answer(asked);
                }
            }
        }
    }

    private static List<ElectionAction.Request> asked(Rig rig) {
        return rig.said(ElectionAction.Request.class).stream()
                .filter(request -> request.key().equals(rig.key))
                .toList();
    }

    /** "A registration that cannot be released [...] never latches the shared session and ends no leadership." */
    @ParameterizedTest
    @CsvSource({"REMOVES_SESSION, false", "REMOVES_SESSION, true", "JUDGES_SESSION, false", "JUDGES_SESSION, true"})
    void aRegistrationThatCannotBeReleasedCostsNobodyTheSession(StoreKind kind, boolean forWantOfRights) {
        Rig rig = besideALeader(kind);
        rig.withdraw();

        passWithout(rig, Duration.ofMinutes(10), asked -> {
            if (forWantOfRights) {
                rig.fault(asked, "no right to write below registration");
            } else {
                rig.fail(asked);
            }
        });

        assertThat(rig.said(SessionAction.End.class)).isEmpty();
        assertThat(rig.said(ElectionAction.End.class))
                .filteredOn(end -> end.key().equals(ELECTION))
                .isEmpty();
        assertThat(rig.machine.role(ELECTION)).isInstanceOf(Role.Leading.class);
        // Ever less often: two in half a minute at the most, once its lease would be over.
        assertThat(asked(rig).size()).isLessThan(100);
        rig.passServed(Duration.ofSeconds(40));
        assertThat(rig.isVacant()).isTrue();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
    }

    /** Its client is closed: what could not be released goes with the session. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aRegistrationThatCannotBeReleasedGoesWithItsClient(StoreKind kind) {
        Rig rig = registered(kind);
        rig.withdraw();
        passWithout(rig, Duration.ofMinutes(2), rig::fail);

        rig.close();
        passWithout(rig, Duration.ofSeconds(10), rig::fail);

        assertThat(rig.said(SessionAction.End.class)).hasSize(1);
        assertThat(rig.isVacant()).isTrue();
    }

    /** "[...] or has no rights" */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRegistrationWithoutRightsCostsNoLeadership(StoreKind kind) {
        Rig rig = Rig.on(kind).registering().idle();
        rig.take(rig.machine.on(ELECTION, new ElectionEvent.Campaign("value"), rig.now()));
        rig.serve();
        rig.log.clear();
        rig.campaign("value");

        passWithout(rig, Duration.ofMinutes(10), asked -> rig.fault(asked, "no right to write below registration"));

        assertThat(rig.machine.role(ELECTION)).isInstanceOf(Role.Leading.class);
        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Fault.class)).hasSize(1);
        assertThat(asked(rig).size()).isBetween(20, 130);
    }
}
