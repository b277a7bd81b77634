package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.testkit.Await;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whoever wakes the loop is heard, even if its selector fails. */
class WakeUpTest {
    /** Has no sockets. It may take a wake-up and fail all the same, as one does for want of memory or of threads. */
    private static final class Failing extends AbstractSelector {
        final AtomicBoolean fails = new AtomicBoolean();
        final AtomicBoolean isDeaf = new AtomicBoolean();
        final AtomicInteger waits = new AtomicInteger();
        private final Semaphore wakeUps = new Semaphore(0);

        Failing() {
            super(SelectorProvider.provider());
        }

        @Override
        public int select() throws IOException {
            waits.incrementAndGet();
            wakeUps.acquireUninterruptibly();
            wakeUps.drainPermits();
            if (fails.getAndSet(false)) {
                throw new IOException("of a test");
            }
            return 0;
        }

        @Override
        public int select(long millis) throws IOException {
            return select();
        }

        @Override
        public int selectNow() {
            wakeUps.drainPermits();
            return 0;
        }

        @Override
        public Selector wakeup() {
            if (isDeaf.getAndSet(false)) {
                throw new InternalError("of a test");
            }
            wakeUps.release();
            return this;
        }

        @Override
        public Set<SelectionKey> keys() {
            return Set.of();
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return Set.of();
        }

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void implCloseSelector() {}
    }

    @Test
    void whoWakesItAfterAWakeUpThatFailedIsHeard() throws InterruptedException {
        Failing selector = new Failing();
        SelectorLoop loop = new SelectorLoop(selector, "mandate-wake-up-test", () -> {}, () -> {});
        loop.start();
        Await.until("it to wait", TestGroup.PLENTY, () -> selector.waits.get() == 1);
        selector.isDeaf.set(true);
        assertThatThrownBy(loop::wake).isInstanceOf(InternalError.class);

        Semaphore done = new Semaphore(0);
        loop.execute(done::release);

        assertThat(done.tryAcquire(TestGroup.PLENTY.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(loop.stop(TestGroup.PLENTY)).isTrue();
    }

    @Test
    void whoWakesItAfterAFailedWaitIsHeard() throws InterruptedException {
        Failing selector = new Failing();
        SelectorLoop loop = new SelectorLoop(selector, "mandate-wake-up-test", () -> {}, () -> {});
        loop.start();
        Await.until("it to wait", TestGroup.PLENTY, () -> selector.waits.get() == 1);
        selector.fails.set(true);
        loop.wake();
        Await.until("it to wait again", TestGroup.PLENTY, () -> selector.waits.get() == 2);

        Semaphore done = new Semaphore(0);
        loop.execute(done::release);

        assertThat(done.tryAcquire(TestGroup.PLENTY.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(loop.stop(TestGroup.PLENTY)).isTrue();
    }
}
