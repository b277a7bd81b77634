package dev.mandate.engine;

import static dev.mandate.engine.Rule13TurnTest.LAST;
import static dev.mandate.engine.Rule13TurnTest.NANO;
import static dev.mandate.engine.Rule13TurnTest.seeking;
import static dev.mandate.engine.Rule13TurnTest.stances;
import static dev.mandate.engine.Rule13TurnTest.triesAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.Settle;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Stance;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 13: where the store says who tries first, a candidate says how it stands. */
class Rule13StanceTest {
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void itSaysHowItStandsWheneverThatChanges(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.placed(0);
        rig.serve();
        Stance leading = new Stance.Leading(rig.lastTerm().number());
        rig.passServed(Duration.ofSeconds(20));
        assertThat(stances(rig)).endsWith(Stance.Seeking.INSTANCE, leading);

        rig.resign();
        assertThat(rig.stance()).isEqualTo(Stance.Absent.INSTANCE);
        rig.workStopped();
        rig.serve();
        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
        rig.passServed(Duration.ofMillis(2_500).minus(NANO));
        assertThat(rig.stance()).as("while it cools down").isEqualTo(Stance.Absent.INSTANCE);

        rig.passServed(NANO);

        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        triesAfter(rig, LAST);
        rig.close();
        assertThat(rig.stance()).isEqualTo(Stance.Absent.INSTANCE);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whoeverSettlesHasWon(StoreKind kind) {
        Rig rig = seeking(Rig.on(kind).settle(Settle.ALWAYS));
        rig.placed(0);
        rig.serve();

        assertThat(rig.role()).isInstanceOf(Role.Settling.class);
        assertThat(rig.stance())
                .isEqualTo(
                        new Stance.Settling(((Role.Settling) rig.role()).term().number()));
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void workThatOutlivesItsTermKeepsItAway(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.placed(0);
        rig.serve();
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.gap();
        rig.serve();
        if (rig.role() instanceof Role.Leading) {
            rig.passServed(Duration.ofSeconds(31));
        }

        assertThat(rig.status()).isNotEqualTo(CandidacyStatus.State.LEADING);
        rig.passServed(Duration.ofSeconds(5));
        assertThat(rig.stance()).isEqualTo(Stance.Absent.INSTANCE);

        rig.workStopped();
        rig.serve();
        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
    }

    /** A record that an older try of its own left behind is in the way until it is removed. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aStrayKeepsItAway(StoreKind kind) {
        Rig rig = seeking(kind);
        rig.placed(0);
        ElectionAction.Acquire late = rig.only(ElectionAction.Acquire.class);
        rig.lose(late);
        rig.withdraw();
        rig.passServed(Duration.ofSeconds(2));
        rig.campaign("value");
        rig.serve();
        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        rig.land(late);
        rig.hint(rig.stored());

        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Read.class);

        assertThat(rig.all(ElectionAction.Release.class)).hasSize(1);
        assertThat(rig.stance()).isEqualTo(Stance.Absent.INSTANCE);
        rig.passServed(Duration.ofSeconds(2));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** Strangers' records may have any number. */
    @Test
    void aLeaderWithoutATermIsNotKnown() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).ordered().idle();
        rig.campaign("value");
        ElectionAction.Read look = rig.only(ElectionAction.Read.class);
        rig.lose(look);

        rig.on(new ElectionEvent.ReadAnswered(
                look.request(),
                Observation.foreign(Rig.KEY, rig.stored().basis(), new Rule13TurnTest.Alive(), -7, "stranger", null)));

        assertThat(rig.stance()).isEqualTo(new Stance.Following(0));
    }

    /** A pause after a refusal and the wait for a turn pass together. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void theWaitPassesDuringAPause(StoreKind kind) {
        Rig rig = Rig.on(kind).ordered().idle();
        long session = rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.passServed(Rig.L);
        rig.placed(0);
        rig.pass(Duration.ofMillis(333));
        rig.rivalRenews(session);
        rig.answer(
                rig.only(ElectionAction.Acquire.class), WriteOutcome.refusedFor(Duration.ofSeconds(12), rig.stored()));
        assertThat(rig.stance()).isInstanceOf(Stance.Following.class);

        rig.passServed(Rig.L.minus(NANO));
        assertThat(rig.stance()).isInstanceOf(Stance.Following.class);
        rig.passServed(NANO);
        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        triesAfter(rig, Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void withoutASessionItCannotLead(StoreKind kind) {
        Rig rig = Rig.on(kind).ordered().idle();
        rig.campaign("value");
        ElectionAction.Read look = rig.only(ElectionAction.Read.class);
        rig.answer(look);
        rig.placed(0);
        assertThat(rig.stance()).isEqualTo(Stance.Absent.INSTANCE);

        rig.answer(rig.only(SessionAction.Open.class));

        assertThat(rig.stance()).isEqualTo(Stance.Seeking.INSTANCE);
        triesAfter(rig, LAST);
    }
}
