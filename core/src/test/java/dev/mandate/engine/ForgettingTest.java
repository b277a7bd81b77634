package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.Settle;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An election that nobody stands in, watches or waits for is forgotten. */
class ForgettingTest {
    private final ElectionSettings settings =
            Rig.on(StoreKind.REMOVES_RECORD).settle(Settle.NEVER).idle().settings;
    private final TestServer server =
            new TestServer(StoreKind.REMOVES_RECORD.traits(), dev.mandate.internal.memory.ModelOptions.DEFAULT);
    private final List<Action> log = new ArrayList<>();
    private CandidateMachine machine = new CandidateMachine(settings, new SteadyEntropy(), 2);
    private long nanos = 5_000_000_000_000L;

    private Now now() {
        return new Now(nanos, nanos, 1_767_225_600_000L + nanos / 1_000_000);
    }

    private void take(List<Action> actions) {
        List<Action> copy = List.copyOf(actions);
        log.addAll(copy);
        for (Action action : copy) {
            if (Rig.isRequest(action)) {
                take(server.land(action, nanos, now().wallMillis()).deliver(machine, now()));
            }
        }
    }

    private void on(RecordKey key, ElectionEvent event) {
        take(machine.on(key, event, now()));
    }

    private void pass(Duration howLong) {
        long until = nanos + howLong.toNanos();
        while (machine.wakeAtNanos() <= until) {
            nanos = Math.max(nanos, machine.wakeAtNanos());
            take(machine.tick(now()));
        }
        nanos = until;
    }

    private static RecordKey key(int number) {
        return RecordKey.election("job-" + number);
    }

    private void look(int number) {
        on(key(number), new ElectionEvent.Observe(true));
        pass(Duration.ofSeconds(1));
        on(key(number), new ElectionEvent.Observe(false));
        pass(Duration.ofSeconds(1));
    }

    private List<RecordKey> forgotten() {
        return log.stream()
                .filter(ElectionAction.Forgotten.class::isInstance)
                .map(action -> ((ElectionAction.Forgotten) action).key())
                .toList();
    }

    private List<RecordKey> keys(int from, int until) {
        return IntStream.range(from, until).mapToObj(ForgettingTest::key).toList();
    }

    @Test
    void theEldestIdleOneIsForgottenFirst() {
        for (int i = 0; i < 5; i++) {
            look(i);
        }

        assertThat(forgotten()).isEqualTo(keys(0, 3));
    }

    @Test
    void whatIsWatchedOrStoodInIsNotForgotten() {
        on(key(0), new ElectionEvent.Observe(true));
        on(key(1), new ElectionEvent.Campaign("v"));
        pass(Duration.ofSeconds(1));
        assertThat(machine.role(key(1))).isInstanceOf(Role.Leading.class);
        for (int i = 2; i < 6; i++) {
            look(i);
        }

        assertThat(forgotten()).isEqualTo(keys(2, 4));
        assertThat(machine.role(key(0))).isInstanceOf(Role.Following.class);
        assertThat(machine.status(key(1), now())).isEqualTo(CandidacyStatus.State.LEADING);
    }

    /** Others shall have their turn, also where the candidacy was closed and another one is begun. */
    @Test
    void whatCoolsDownIsNotForgottenBeforeItHasCooled() {
        machine = new CandidateMachine(settings, new SteadyEntropy(), 0);
        leadBriefly();
        long freed = nanos;

        pass(Duration.ofNanos(settings.timing().coolDownNanos(1)).minusMillis(1));
        assertThat(forgotten()).isEmpty();
        on(key(0), new ElectionEvent.Campaign("v"));
        assertThat(machine.status(key(0), now())).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
        on(key(0), new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
        // Nobody does anything: it is forgotten all the same.
        pass(Duration.ofNanos(longestCoolDown() - (nanos - freed) - 1));
        assertThat(forgotten()).isEmpty();
        pass(Duration.ofNanos(1));

        assertThat(forgotten()).containsExactly(key(0));
    }

    /** Whoever fails again and again pauses ever longer, also if each term has a candidacy of its own. */
    @ParameterizedTest
    @ValueSource(ints = {0, CandidateMachine.IDLE_MAX})
    void coolDownsGrowFromOneCandidacyToTheNext(int idleMax) {
        machine = new CandidateMachine(settings, new SteadyEntropy(), idleMax);
        leadBriefly();
        pass(Duration.ofNanos(settings.timing().coolDownNanos(1)).plusSeconds(1));
        leadBriefly();

        assertThat(coolDownMillis()).isEqualTo(settings.timing().coolDownNanos(2) / 1_000_000);
    }

    /** It makes no difference whether it was forgotten by then. */
    @ParameterizedTest
    @ValueSource(ints = {0, CandidateMachine.IDLE_MAX})
    void aCandidacyThatBeginsAfterTheLongestCoolDownCountsAnew(int idleMax) {
        machine = new CandidateMachine(settings, new SteadyEntropy(), idleMax);
        leadBriefly();
        leadBriefly();
        pass(Duration.ofNanos(longestCoolDown()));
        leadBriefly();

        assertThat(coolDownMillis()).isEqualTo(settings.timing().coolDownNanos(1) / 1_000_000);
    }

    private long longestCoolDown() {
        return settings.timing().coolDownNanos(Integer.MAX_VALUE);
    }

    private void leadBriefly() {
        on(key(0), new ElectionEvent.Campaign("v"));
        while (!(machine.role(key(0)) instanceof Role.Leading)) {
            pass(Duration.ofMillis(100));
        }
        long term = ((Role.Leading) machine.role(key(0))).term().number();
        on(key(0), new ElectionEvent.Resign(term, EndReason.RESIGNED));
        on(key(0), new ElectionEvent.WorkStopped(term));
        on(key(0), new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
    }

    private long coolDownMillis() {
        long from = nanos;
        on(key(0), new ElectionEvent.Campaign("v"));
        while (machine.status(key(0), now()) == CandidacyStatus.State.COOLING_DOWN) {
            pass(Duration.ofMillis(1));
        }
        return (nanos - from) / 1_000_000;
    }

    @Test
    void aForgottenOneIsBegunAfresh() {
        for (int i = 0; i < 4; i++) {
            look(i);
        }
        on(key(0), new ElectionEvent.Campaign("v"));
        pass(Duration.ofSeconds(1));

        assertThat(machine.role(key(0))).isInstanceOf(Role.Leading.class);
    }

    @Test
    void nothingButAWishMakesItRemembered() {
        RecordKey key = key(7);
        on(key, new ElectionEvent.Hinted(Observation.vacant(key, new dev.mandate.spi.Basis() {})));
        on(key, new ElectionEvent.Unanswered(3));
        on(key, new ElectionEvent.WorkStopped(3));
        on(key, new ElectionEvent.Resign(3, EndReason.RESIGNED));
        on(key, ElectionEvent.Tick.INSTANCE);
        assertThat(log).isEmpty();

        on(key, new ElectionEvent.Proclaim(9, 3, "value"));
        on(key, new ElectionEvent.Observe(false));

        assertThat(log)
                .containsExactly(new ElectionAction.Proclaimed(key, 9, false), new ElectionAction.Forgotten(key));
    }
}
