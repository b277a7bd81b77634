package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Election;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An interrupt runs code of whoever is interrupted: never on the loop, and never on the watchdog. */
class InterruptTest {
    private final World world = World.withSessions();

    /** A channel whose closing takes as long as the test says: a file on a hung mount, a socket that lingers. */
    private static final class SlowChannel extends AbstractInterruptibleChannel {
        final CountDownLatch let = new CountDownLatch(1);
        final AtomicReference<Thread> closer = new AtomicReference<>();
        final Thread pump = Thread.currentThread();
        final AtomicBoolean entered = new AtomicBoolean();

        @Override
        protected void implCloseChannel() {
            closer.set(Thread.currentThread());
            if (Thread.currentThread() == pump) {
                return;
            }
            try {
                let.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void read() throws AsynchronousCloseException {
            begin();
            entered.set(true);
            while (isOpen()) {
                Thread.onSpinWait();
            }
            end(false);
        }
    }

    /**
     * To interrupt who waits in a channel closes it, on the thread that interrupts: neither the loop nor the watchdog
     * may be that one.
     */
    @ParameterizedTest
    @ValueSource(strings = {"loop", "watchdog", "user", "health"})
    void aChannelThatIsSlowToCloseHoldsUpNoOtherTerm(String interruptedBy) {
        world.host.useRealThreads();
        SlowChannel channel = new SlowChannel();
        AtomicReference<Leadership> won = new AtomicReference<>();
        Client client = world.client("a");
        boolean isHealth = interruptedBy.equals("health");
        RunOptions options = RunOptions.DEFAULTS.withHealthCheck(
                () -> {
                    if (isHealth) {
                        readAll(channel);
                    }
                    return true;
                },
                Duration.ofSeconds(1),
                Duration.ofMillis(200));
        client.election("e").runWhileLeader("v", isHealth ? options : RunOptions.DEFAULTS, leadership -> {
            won.set(leadership);
            if (isHealth) {
                new CompletableFuture<Void>().get();
            }
            channel.read();
        });
        world.passUntilReally(channel.entered::get);

        if (interruptedBy.equals("loop")) {
            world.client("b").election("e").evict();
        } else if (interruptedBy.equals("watchdog")) {
            world.store.hangs = true;
            world.host.stall("mandate-loop");
        } else if (interruptedBy.equals("user")) {
            won.get().resign();
        }
        world.passUntilReally(() -> channel.closer.get() != null);

        assertThat(channel.closer.get()).isNotSameAs(Thread.currentThread());
        world.host.resume();
        world.store.hangs = false;
        Leadership other = wonReally(client.election("other"));
        for (int i = 0; i < 30; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(other.isValid()).isTrue();
        }
        channel.let.countDown();
    }

    private static void readAll(SlowChannel channel) {
        try {
            channel.read();
        } catch (AsynchronousCloseException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Leadership wonReally(Election election) {
        CompletableFuture<Leadership> won = election.campaignAsync("v").toCompletableFuture();
        world.passUntilReally(won::isDone);
        return won.join();
    }
}
