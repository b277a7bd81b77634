package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The calls to one listener, where a call cannot be handed over. */
class TellingTest {
    private final World world = World.withSessions();
    private final ClientContext client = world.client("a").context();
    private final List<String> calls = new ArrayList<>();
    private Runnable duringCall = () -> {};
    private final Telling telling = new Telling(client, () -> {
        calls.add("begins");
        duringCall.run();
        calls.add("ends");
    });

    /** The piece is queued already when its thread is refused and noting that fails. */
    private void failsToHandOver() {
        Runnable usual = world.host.onNanos;
        world.host.onNanos = () -> {
            throw new InternalError("simulated: one allocation failed");
        };
        world.host.refuseThreads(1);
        assertThatThrownBy(telling::changed).hasMessageContaining("simulated");
        world.host.onNanos = usual;
    }

    @Test
    void newsThatCouldNotBeHandedOverIsToldWithTheNext() {
        failsToHandOver();

        telling.changed();
        world.host.settle();

        assertThat(calls).containsExactly("begins", "ends");
    }

    @Test
    void aPieceThatWasQueuedAllTheSameCallsNobodyTwiceAtOnce() {
        failsToHandOver();
        world.host.beQuick();
        duringCall = () -> {
            duringCall = () -> {};
            // On another thread, which takes the piece that is still queued.
            client.callbacks().tell(() -> {});
            telling.changed();
        };

        telling.changed();

        assertThat(calls).containsExactly("begins", "ends", "begins", "ends");
    }
}
