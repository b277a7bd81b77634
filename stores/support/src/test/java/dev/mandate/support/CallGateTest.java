package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallGateTest {
    private final List<String> started = new ArrayList<>();

    private CallGate.Ticket enter(CallGate gate, String name, boolean isUrgent) {
        CallGate.Ticket ticket = gate.ticket(() -> started.add(name), isUrgent);
        ticket.enter();
        return ticket;
    }

    @Test
    void soManyAreUnderWayAndTheOthersComeInTheirOrder() {
        CallGate gate = new CallGate(2, 0, 10);
        CallGate.Ticket a = enter(gate, "a", false);
        CallGate.Ticket b = enter(gate, "b", false);
        enter(gate, "c", false);
        enter(gate, "d", false);
        assertThat(started).containsExactly("a", "b");

        b.close();
        b.close();
        assertThat(started).containsExactly("a", "b", "c");

        a.close();
        assertThat(started).containsExactly("a", "b", "c", "d");
    }

    /** One call that cannot begin must not keep the gate shut for all others. */
    @Test
    void whatThrowsHasEnded() {
        CallGate gate = new CallGate(1, 0, 10);
        CallGate.Ticket broken = gate.ticket(
                () -> {
                    throw new OutOfMemoryError("no more threads");
                },
                false);

        broken.enter();
        broken.close();
        enter(gate, "a", false);
        enter(gate, "b", false);

        assertThat(started).containsExactly("a");
    }

    @Test
    void whatIsUrgentIsNext() {
        CallGate gate = new CallGate(1, 0, 10);
        CallGate.Ticket a = enter(gate, "a", false);
        enter(gate, "b", false);
        enter(gate, "c", true);

        a.close();

        assertThat(started).containsExactly("a", "c");
    }

    @Test
    void somePlacesAreKeptForWhatIsUrgent() {
        CallGate gate = new CallGate(3, 1, 10);
        enter(gate, "a", false);
        CallGate.Ticket b = enter(gate, "b", false);
        enter(gate, "c", false);
        assertThat(started).containsExactly("a", "b");

        CallGate.Ticket urgent = enter(gate, "urgent", true);
        assertThat(started).containsExactly("a", "b", "urgent");

        urgent.close();
        assertThat(started).as("its place is not for the others").containsExactly("a", "b", "urgent");

        b.close();
        assertThat(started).containsExactly("a", "b", "urgent", "c");
    }

    @Test
    void whatIsUrgentMayHaveAllPlaces() {
        CallGate gate = new CallGate(3, 1, 10);
        for (String name : List.of("a", "b", "c", "d")) {
            enter(gate, name, true);
        }
        assertThat(started).containsExactly("a", "b", "c");
    }

    @Test
    void aGateForUrgentCallsAloneIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CallGate(2, 2, 10))
                .withMessageContaining("is 2");
    }

    @Test
    void whatEndedWhileItWaitedNeverStarts() {
        CallGate gate = new CallGate(1, 0, 10);
        CallGate.Ticket a = enter(gate, "a", false);
        CallGate.Ticket b = enter(gate, "b", false);
        enter(gate, "c", false);

        b.close();
        a.close();

        assertThat(started).containsExactly("a", "c");
    }

    @Test
    void noMoreThanTheBoundMayWait() {
        CallGate gate = new CallGate(1, 0, 1);
        CallGate.Ticket a = enter(gate, "a", false);
        enter(gate, "b", false);
        CallGate.Ticket c = gate.ticket(() -> started.add("c"), false);

        assertThat(c.enter()).isFalse();
        c.close();
        a.close();

        assertThat(started).containsExactly("a", "b");
    }

    /** A call that ends at once lets the next one start; many of them nest nothing. */
    @Test
    void manyThatEndAtOnceDoNotNest() {
        CallGate gate = new CallGate(1, 0, 100_000);
        CallGate.Ticket first = enter(gate, "first", false);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 50_000; i++) {
            CallGate.Ticket[] own = new CallGate.Ticket[1];
            own[0] = gate.ticket(
                    () -> {
                        ended.incrementAndGet();
                        own[0].close();
                    },
                    false);
            own[0].enter();
        }

        first.close();

        assertThat(ended).hasValue(50_000);
    }

    @Test
    void manyThreadsNeverExceedTheBound() throws Exception {
        CallGate gate = new CallGate(3, 0, 10_000);
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        ExecutorService callers = Executors.newFixedThreadPool(4);
        ExecutorService workers = Executors.newFixedThreadPool(4);
        try {
            for (int i = 0; i < 2_000; i++) {
                callers.execute(() -> {
                    CallGate.Ticket[] own = new CallGate.Ticket[1];
                    own[0] = gate.ticket(
                            () -> {
                                most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                                workers.execute(() -> {
                                    underWay.decrementAndGet();
                                    ended.incrementAndGet();
                                    own[0].close();
                                });
                            },
                            ended.get() % 2 == 0);
                    own[0].enter();
                });
            }
            callers.shutdown();
            assertThat(callers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            while (ended.get() < 2_000) {
                Thread.onSpinWait();
            }
            assertThat(most.get()).isBetween(1, 3);
        } finally {
            callers.shutdownNow();
            workers.shutdownNow();
        }
    }
}
