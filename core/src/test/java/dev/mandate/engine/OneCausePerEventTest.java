package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * "A session's news, a gap or a listing costs time in proportion to what it concerns, not to all names ever used."
 * Steps are counted, not time.
 */
class OneCausePerEventTest {
    private static final int MANY = 1_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Steps steps = new Steps();
    private final List<SessionLease> sessions = new ArrayList<>();
    private TestServer server;
    private CandidateMachine machine;
    private long nanos = 5_000_000_000_000L;

    /** Counts the machines that an event concerns, and what they receive. */
    private static final class Steps implements CandidateMachine.Probe {
        int concerned;
        int delivered;

        @Override
        public void meets(RecordKey key, Role role, ElectionEvent event) {
            delivered++;
        }

        @Override
        public void concerns(Role role) {
            concerned++;
        }
    }

    private void begin(StoreKind kind) {
        server = new TestServer(kind.traits(), ModelOptions.DEFAULT);
        server.pageItems = 10 * MANY;
        machine = new CandidateMachine(Rig.on(kind).idle().settings, new SteadyEntropy(), 10 * MANY, steps);
    }

    private Now now() {
        return new Now(nanos, nanos, 1_767_225_600_000L + nanos / 1_000_000);
    }

    private void take(List<Action> actions) {
        for (Action action : List.copyOf(actions)) {
            if (action instanceof ElectionAction.Acquire acquire
                    && acquire.session() != null
                    && !sessions.contains(acquire.session())) {
                sessions.add(acquire.session());
            }
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

    private static RecordKey key(String what, int number) {
        return RecordKey.election(what + "-" + number);
    }

    private void observe(int count) {
        for (int i = 0; i < count; i++) {
            on(key("observed", i), new ElectionEvent.Observe(true));
        }
    }

    private void lead(int count) {
        for (int i = 0; i < count; i++) {
            on(key("led", i), new ElectionEvent.Campaign("v"));
        }
        pass(SECOND);
        for (int i = 0; i < count; i++) {
            assertThat(machine.role(key("led", i))).isInstanceOf(Role.Leading.class);
        }
    }

    /** Names that were used once, and are still remembered. */
    private void use(int count) {
        for (int i = 0; i < count; i++) {
            on(key("used", i), new ElectionEvent.Observe(true));
            on(key("used", i), new ElectionEvent.Observe(false));
        }
        pass(SECOND);
    }

    private void register(int count) {
        for (int i = 0; i < count; i++) {
            RecordKey key = new RecordKey(RecordKey.REGISTRATIONS, List.of("billing", "i" + i));
            on(key, new ElectionEvent.Campaign("v"));
        }
        pass(SECOND);
    }

    private void count() {
        steps.concerned = 0;
        steps.delivered = 0;
    }

    private void assertConcerns(int machines) {
        assertThat(steps.concerned).as("machines concerned").isEqualTo(machines);
        assertThat(steps.delivered).as("events delivered").isLessThanOrEqualTo(3 * machines);
    }

    @Test
    void newsOfASessionIsForThoseThatStand() {
        begin(StoreKind.REMOVES_SESSION);
        use(MANY);
        observe(MANY);
        lead(1);
        pass(Duration.ofSeconds(5));
        count();

        sessions.get(0).cell().latch();
        machine.on(new SessionEvent.Latched(sessions.get(0)), now());

        assertConcerns(1);
    }

    /** Those that are held under a session are listed; the rest look. */
    @Test
    void aGapIsForThoseThatLook() {
        begin(StoreKind.REMOVES_SESSION);
        use(MANY);
        lead(MANY);
        register(MANY);
        observe(3);
        count();

        machine.onGap(now());

        assertConcerns(3);
    }

    /** The watch is over elections. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aGapConcernsNoRegistration(StoreKind kind) {
        begin(kind);
        register(MANY);
        observe(3);
        count();

        machine.onGap(now());

        assertConcerns(3);
    }

    @Test
    void aWatchThatBreaksIsForThoseThatLook() {
        begin(StoreKind.REMOVES_SESSION);
        machine.onWatch(true, now());
        use(MANY);
        lead(MANY);
        observe(3);
        count();

        machine.onWatch(false, now());

        assertConcerns(3);
    }

    @Test
    void aListingIsForThoseThatAreHeldUnderASession() {
        begin(StoreKind.JUDGES_SESSION);
        use(MANY);
        observe(MANY);
        register(MANY);
        lead(2);
        take(machine.onGap(now()));
        pass(SECOND);
        SweepAction asked = listing();
        count();

        take(server.land(asked, nanos, now().wallMillis()).deliver(machine, now()));

        assertConcerns(2);
    }

    @Test
    void aListingThatDoesNotComeIsForThoseThatAreHeldUnderASession() {
        begin(StoreKind.JUDGES_SESSION);
        use(MANY);
        observe(MANY);
        lead(2);
        SweepAction asked = listing();
        count();

        machine.onSweepFailed(asked.request(), null, now());

        assertConcerns(2);
    }

    /** Lets time pass until elections are listed, and does not answer that. */
    private SweepAction listing() {
        long until = nanos + Rig.TIMING.recordCheckIntervalNanos() + SECOND.toNanos();
        while (machine.wakeAtNanos() <= until) {
            nanos = Math.max(nanos, machine.wakeAtNanos());
            List<Action> actions = List.copyOf(machine.tick(now()));
            for (Action action : actions) {
                if (action instanceof SweepAction sweep) {
                    take(actions.stream().filter(other -> other != sweep).toList());
                    return sweep;
                }
            }
            take(actions);
        }
        throw new AssertionError("nothing was listed");
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void clocksThatRanApartAreForThoseThatHoldSomething(StoreKind kind) {
        begin(kind);
        use(MANY);
        observe(MANY);
        lead(2);
        count();

        machine.onClocksMoved(now());

        assertConcerns(2);
    }

    /** Whoever stands no more, holds nothing and looks at nothing is on no roll. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whatIsOverConcernsNobody(StoreKind kind) {
        begin(kind);
        observe(10);
        lead(10);
        for (int i = 0; i < 10; i++) {
            RecordKey led = key("led", i);
            long term = ((Role.Leading) machine.role(led)).term().number();
            on(led, new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
            on(led, new ElectionEvent.WorkStopped(term));
            on(key("observed", i), new ElectionEvent.Observe(false));
        }
        pass(SECOND);
        count();

        take(machine.onGap(now()));
        take(machine.onClocksMoved(now()));
        pass(Duration.ofMinutes(2));

        assertThat(steps.concerned).isZero();
    }
}
