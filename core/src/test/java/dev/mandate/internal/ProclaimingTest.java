package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Leadership;
import dev.mandate.LeadershipLostException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.Intent;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What whoever proclaims a value is told: that it is written, or that it may not be. */
class ProclaimingTest {
    private final World world = World.withSessions();
    private final Client client = world.client("a");
    private final Leadership leadership = world.win(client.election("e"));

    /** The machine tries five times; whoever waits waits for one try more, and no longer. */
    @Test
    void aValueThatIsNotConfirmedMayYetAppear() {
        LeaseTiming timing = client.timing();
        world.store.onCall = () -> world.store.hangs = world.store.last().equals(Intent.PROCLAIM.toString());
        long from = world.host.nanos();

        assertThatThrownBy(() -> leadership.proclaim("elsewhere"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("virtual:a did not confirm the new value of election 'e'; it may yet appear");

        assertThat(world.host.nanos() - from)
                .isLessThanOrEqualTo(6 * (timing.requestTimeoutNanos() + timing.retryIntervalNanos()));
        assertThat(world.host.nanos() - from).isGreaterThan(timing.requestTimeoutNanos());
        assertThat(leadership.isValid()).isTrue();
    }

    @Test
    void aTermThatEndsMeanwhileIsSaidToBeOver() {
        world.store.latency = Duration.ofMillis(100);
        world.host.at(world.host.nanos() + 50_000_000, leadership::resign);

        assertThatThrownBy(() -> leadership.proclaim("elsewhere"))
                .isInstanceOf(LeadershipLostException.class)
                .hasMessageContaining("ended before the store confirmed the new value: resigned");
    }

    @Test
    void whoeverIsInterruptedIsToldSoAndStaysInterrupted() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        world.store.hangs = true;
        Thread user = new Thread(() -> {
            try {
                leadership.proclaim("elsewhere");
            } catch (Throwable e) {
                flag.set(Thread.currentThread().isInterrupted());
                thrown.set(e);
            }
        });
        user.start();
        world.await(() -> user.getState() == Thread.State.WAITING);

        user.interrupt();
        user.join();

        assertThat(thrown.get())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("virtual:a did not confirm the new value of election 'e' before the caller was interrupted;"
                        + " it may yet appear");
        assertThat(flag.get()).isTrue();
    }

    @Test
    void whenTheClientIsClosedNobodyWaitsAnyLonger() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        world.store.hangs = true;
        Thread user = new Thread(() -> {
            try {
                leadership.proclaim("elsewhere");
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        user.start();
        world.await(() -> user.getState() == Thread.State.WAITING);

        client.proclaiming().finished();
        user.join();

        assertThat(thrown.get()).isInstanceOf(StoreUnavailableException.class);
    }

    /** It came too late, or for nobody. */
    @Test
    void anAnswerThatNobodyAwaitsIsNothing() {
        leadership.proclaim("one");
        leadership.proclaim("two");

        client.proclaiming().answered(1, false);
        client.proclaiming().answered(99, true);

        assertThat(client.election("e").view().leader().orElseThrow().value()).isEqualTo("two");
    }
}
