package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.Status;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegistrationNewsTest {
    private static final RegistrationState REGISTERING =
            new RegistrationState(Phase.REGISTERING, "not yet", Optional.empty());
    private static final RegistrationState REGISTERED =
            new RegistrationState(Phase.REGISTERED, "registered", Optional.empty());
    private static final RegistrationState TAKEN =
            new RegistrationState(Phase.TAKEN, "id 'a' is held by 'h:1'", Optional.of("h:1"));
    private static final RegistrationState UNSURE =
            new RegistrationState(Phase.UNSURE, "had no answer", Optional.empty());

    private final RegistrationNews news = new RegistrationNews();
    private long generation = 1;

    private String look(RegistrationState state, Status status, long millis) {
        return news.look(
                state,
                generation,
                status,
                status == Status.UP ? "it is" : "it failed",
                Duration.ofMillis(millis).toNanos());
    }

    private String look(RegistrationState state, long millis) {
        return look(state, Status.UP, millis);
    }

    @Test
    void registeringIsNoNewsUnlessItTakesLong() {
        assertThat(look(REGISTERING, 0)).isNull();
        assertThat(look(REGISTERING, 999)).isNull();
        assertThat(look(REGISTERING, 1_000)).isEqualTo("not registered yet");
        assertThat(look(REGISTERING, 5_000)).isNull();
        assertThat(look(REGISTERED, 5_100)).isEqualTo("registered, status UP: it is");
        assertThat(look(REGISTERED, 5_200)).isNull();
    }

    @Test
    void lossAndRegainAreNewsAtOnce() {
        look(REGISTERED, 0);

        assertThat(look(UNSURE, 100)).isEqualTo("no longer registered: had no answer");
        assertThat(look(TAKEN, 200)).isEqualTo("not registered: id 'a' is held by 'h:1'");
        assertThat(look(REGISTERED, 300)).isEqualTo("registered again, status UP: it is");
        assertThat(look(REGISTERING, 400)).isEqualTo("no longer registered; registering again");
    }

    @Test
    void aLossIsNewsThoughItWasOverBeforeAnybodyLooked() {
        look(REGISTERED, 0);
        generation++;

        assertThat(look(REGISTERED, 100))
                .isEqualTo("no longer registered; meanwhile registered again, status UP: it is");
        assertThat(look(REGISTERED, 200)).isNull();

        look(UNSURE, 300);
        generation++;
        assertThat(look(REGISTERED, 400)).isEqualTo("registered again, status UP: it is");
        assertThat(look(REGISTERED, 500)).isNull();
    }

    /** "Registered" is said first; what the store refuses stays news. */
    @Test
    void aRefusalAfterAnUnseenLossIsNews() {
        look(REGISTERED, 0);
        generation++;
        RegistrationState refused = new RegistrationState(Phase.REGISTERED, "but refused", Optional.empty());

        assertThat(look(refused, 100)).startsWith("no longer registered; meanwhile registered again, ");
        assertThat(look(refused, 200)).isEqualTo("but refused");
        assertThat(look(refused, 300)).isNull();
    }

    @Test
    void aReasonThatComesLateIsNews() {
        assertThat(news.look(REGISTERED, 1, Status.DOWN, "", 0)).isEqualTo("registered, status DOWN");
        assertThat(news.look(REGISTERED, 1, Status.DOWN, "", 1)).isNull();
        assertThat(news.look(REGISTERED, 1, Status.DOWN, "it hangs", 2)).isEqualTo("status DOWN: it hangs");
        assertThat(news.look(REGISTERED, 1, Status.DOWN, "it fails", 3)).isNull();
    }

    @Test
    void thatTheHolderIsAliveIsNoNews() {
        look(TAKEN, 0);

        assertThat(look(new RegistrationState(Phase.TAKEN, "id 'a' is held by 'h:1', alive", Optional.of("h:1")), 100))
                .isNull();
        assertThat(look(new RegistrationState(Phase.TAKEN, "id 'a' is held by 'h:2'", Optional.of("h:2")), 200))
                .isEqualTo("not registered: id 'a' is held by 'h:2'");
    }

    /** What lies between, and does not last, is not worth a line. */
    @Test
    void aDoubtThatDoesNotLastIsNoNews() {
        assertThat(look(TAKEN, 0)).isEqualTo("not registered: id 'a' is held by 'h:1'");
        assertThat(look(UNSURE, 100)).isNull();
        assertThat(look(TAKEN, 200)).isNull();
        assertThat(look(UNSURE, 300)).isNull();
        assertThat(look(UNSURE, 1_300)).isEqualTo("not registered: had no answer");
    }

    @Test
    void aStatusThatChangesIsNewsWithItsReason() {
        assertThat(look(REGISTERING, Status.STARTING, 0)).isNull();
        assertThat(look(REGISTERING, Status.UP, 100)).isNull();
        assertThat(look(REGISTERED, Status.UP, 200)).isEqualTo("registered, status UP: it is");
        assertThat(look(REGISTERED, Status.DOWN, 300)).isEqualTo("status DOWN: it failed");
        assertThat(look(REGISTERED, Status.DOWN, 400)).isNull();
        assertThat(look(TAKEN, Status.UP, 500)).startsWith("no longer registered: ");
        assertThat(look(TAKEN, Status.UP, 600)).isNull();
    }
}
