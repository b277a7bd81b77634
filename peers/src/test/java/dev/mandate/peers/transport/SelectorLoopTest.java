package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SelectorLoopTest {
    private final AtomicInteger flushes = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private volatile Runnable flush = () -> {};
    private SelectorLoop loop;

    @BeforeEach
    void start() throws IOException {
        loop = new SelectorLoop("mandate-loop-test", this::flush, ends::incrementAndGet);
        loop.start();
    }

    @AfterEach
    void stop() {
        assertThat(loop.stop(TestGroup.PLENTY)).isTrue();
        assertThat(ends).hasValue(1);
    }

    private void flush() {
        flushes.incrementAndGet();
        flush.run();
    }

    private void awaitTurn() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        loop.execute(done::countDown);
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aTaskThatFailsEndsNothing() throws InterruptedException {
        loop.execute(() -> {
            throw new IllegalStateException("of a test");
        });
        loop.execute(() -> {
            throw new OutOfMemoryError("of a test");
        });
        awaitTurn();
    }

    @Test
    void aTaskOfTheLoopItselfIsNotForgotten() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        // What it does last before it waits.
        flush = () -> {
            flush = () -> {};
            loop.execute(done::countDown);
        };
        loop.wake();
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void itSleepsUntilTheNextTimer() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        loop.execute(() -> loop.timers()
                .timer(done::countDown)
                .at(System.nanoTime() + Duration.ofMillis(300).toNanos()));
        awaitTurn();
        long before = loop.turns();
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(loop.turns() - before).isLessThanOrEqualTo(4);
    }

    @Test
    void whereDescriptorsAreShortItPausesAndAcceptsAgain() throws Exception {
        List<String> troubles = new CopyOnWriteArrayList<>();
        List<SocketChannel> accepted = new CopyOnWriteArrayList<>();
        LoopResources resources = new LoopResources(loop, TestGroup.PACE, 1 << 20);
        ServerSocketChannel channel =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        CountDownLatch failed = new CountDownLatch(1);
        loop.execute(() -> {
            try {
                Listening.on(channel, resources, accepted::add, troubles::add)
                        .failed(new IOException("Too many open files"));
                failed.countDown();
            } catch (IOException e) {
                troubles.add("no registration: " + e);
            }
        });
        assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), ((InetSocketAddress) channel.getLocalAddress()).getPort())) {
            Await.until("it to be accepted", TestGroup.PLENTY, () -> accepted.size() == 1);
            assertThat(socket.isConnected()).isTrue();
        }
        assertThat(troubles)
                .containsExactly("cannot accept connections: Too many open files; if there are too few file"
                        + " descriptors, allow more (ulimit -n)");
        accepted.get(0).close();
        assertThat(flushes.get()).isPositive();
    }

    @Test
    void whoCannotBeServedIsNotLeftWaiting() throws Exception {
        List<SocketChannel> accepted = new CopyOnWriteArrayList<>();
        LoopResources resources = new LoopResources(loop, TestGroup.PACE, 1 << 20);
        ServerSocketChannel channel =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        loop.execute(() -> {
            try {
                Listening.on(
                        channel,
                        resources,
                        one -> {
                            accepted.add(one);
                            throw new InternalError("of a test");
                        },
                        trouble -> {});
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), ((InetSocketAddress) channel.getLocalAddress()).getPort())) {
            Await.until(
                    "its end",
                    TestGroup.PLENTY,
                    () -> accepted.size() == 1 && !accepted.get(0).isOpen());
            assertThat(socket.getInputStream().read()).isNegative();
        }
    }
}
