package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls, inside each other and beside each other, in terms that were really won. */
class LeaderCallsTest {
    private final ElectionClient client = ElectionClient.connect(Contexts.store());
    private final List<Leadership> terms = new ArrayList<>();

    @AfterEach
    void close() {
        // Nothing of a test that failed.
        Thread.interrupted();
        terms.forEach(Leadership::close);
        client.close();
    }

    private Leadership win(String election) throws InterruptedException {
        Leadership term = client.election(election).campaign("me");
        terms.add(term);
        return term;
    }

    @Test
    void onceClosedOnlyCallsInsideRunningOnesBegin() throws Exception {
        Leadership term = win("x");
        LeaderCalls calls = new LeaderCalls(term);
        LeaderCall outer = calls.enter();
        assertThat(outer).isNotNull();
        calls.close();

        LeaderCall inner = calls.enter();

        assertThat(inner).isNotNull();
        assertThat(CompletableFuture.supplyAsync(calls::enter).get(60, TimeUnit.SECONDS))
                .isNull();
        calls.leave(inner);
        term.close();
        assertThat(calls.enter()).isNull();
        calls.leave(outer);
        calls.awaitEnd();
    }

    @Test
    void onceClosedNoCallBegins() throws Exception {
        LeaderCalls calls = new LeaderCalls(win("x"));
        calls.close();

        assertThat(calls.enter()).isNull();
    }

    @Test
    void anInterruptionStaysForTheCallAroundThatWasInterrupted() throws Exception {
        LeaderCalls ofX = new LeaderCalls(win("x"));
        LeaderCalls ofY = new LeaderCalls(win("y"));
        LeaderCall outer = ofX.enter();
        LeaderCall inner = ofY.enter();
        outer.interrupt();
        inner.interrupt();

        ofY.leave(inner);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        ofX.leave(outer);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptionEndsWithItsCall() throws Exception {
        LeaderCalls ofX = new LeaderCalls(win("x"));
        LeaderCalls ofY = new LeaderCalls(win("y"));
        LeaderCall outer = ofX.enter();
        LeaderCall inner = ofY.enter();
        inner.interrupt();

        ofY.leave(inner);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        inner.interrupt();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        ofX.leave(outer);
    }

    /** {@code Thread.interrupt} closes it, on the thread that interrupts. */
    private static final class Channel extends AbstractInterruptibleChannel {
        private final Runnable atClose;

        Channel(Runnable atClose) {
            this.atClose = atClose;
        }

        @Override
        protected void implCloseChannel() {
            atClose.run();
        }

        void block(CountDownLatch inside, CountDownLatch until) {
            begin();
            inside.countDown();
            awaitStubbornly(until);
            // Without end(): that would complain of the interruption.
        }
    }

    private static void awaitStubbornly(CountDownLatch until) {
        while (until.getCount() > 0) {
            try {
                until.await();
            } catch (InterruptedException e) {
                // Not now.
            }
        }
    }

    /** Two calls, the first in that channel; the second must be interrupted, however the first one's channel closes. */
    private void interruptsTheSecond(LeaderCalls calls, Channel channel, CountDownLatch mayEnd) throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        thread(() -> {
            LeaderCall call = calls.enter();
            try {
                channel.block(first, mayEnd);
            } finally {
                calls.leave(call);
            }
        });
        first.await();
        CountDownLatch second = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        thread(() -> {
            LeaderCall call = calls.enter();
            try {
                second.countDown();
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.complete(true);
            } finally {
                calls.leave(call);
            }
        });
        second.await();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        thread(() -> {
            try {
                calls.interruptAndAwaitEnd();
                ended.complete(null);
            } catch (RuntimeException | Error e) {
                ended.completeExceptionally(e);
            }
        });

        try {
            assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(ended).isNotDone();
        } finally {
            mayEnd.countDown();
        }
        ended.get(60, TimeUnit.SECONDS);
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    @Test
    void anInterruptionThatHangsKeepsNoOtherFromIts() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        interruptsTheSecond(new LeaderCalls(win("x")), new Channel(() -> awaitStubbornly(mayEnd)), mayEnd);
    }

    @Test
    void anInterruptionThatFailsKeepsNoOtherFromIts() throws Exception {
        Channel failing = new Channel(() -> {
            throw new IllegalStateException("as planned");
        });
        interruptsTheSecond(new LeaderCalls(win("x")), failing, new CountDownLatch(1));
    }
}
