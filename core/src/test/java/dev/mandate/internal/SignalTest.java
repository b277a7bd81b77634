package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SignalTest {
    private final World world = World.withSessions();
    private final AtomicInteger events = new AtomicInteger();
    private final Signal signal = new Signal(world.client("a").loop(), now -> events.incrementAndGet());

    @Test
    void howeverOftenItIsGivenOneEventWaits() {
        world.host.settle();
        world.host.stall("mandate-loop");
        for (int i = 0; i < 10; i++) {
            signal.give();
        }
        world.host.resume();
        world.host.settle();
        assertThat(events).hasValue(1);

        signal.give();
        world.host.settle();

        assertThat(events).hasValue(2);
    }
}
