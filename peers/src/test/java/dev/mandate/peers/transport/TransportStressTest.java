package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many threads send while links come and go: every payload is sent or counted, and no wake-up is lost. */
class TransportStressTest {
    private static final int THREADS = 4;
    private static final int PAYLOADS = 20_000;

    @Test
    void everyPayloadIsSentOrCounted() throws InterruptedException {
        LinkLimits tight = new LinkLimits(50, 2L << 20, 2L << 20, 4, 16, 4L << 20);
        try (TestGroup group = TestGroup.of(2)) {
            group.limits(tight);
            Recorder here = new Recorder();
            Transport from = group.open(0, here);
            Recorder told = new Recorder();
            told.keepsPayloads = false;
            Transport there = group.open(1, told);
            here.awaitConnected(group.id(1));
            AtomicInteger taken = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                Thread thread = new Thread(() -> {
                    for (int j = 0; j < PAYLOADS; j++) {
                        boolean mayLeave = (j + number) % 7 != 0;
                        if (from.send(group.id(1), new byte[j % 300], () -> mayLeave)) {
                            taken.incrementAndGet();
                        }
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (int i = 0; i < 3; i++) {
                Transport former = there;
                former.close();
                there = group.open(1, told);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            Await.until("a link", TestGroup.PLENTY, () -> from.status().get(0).isUp());
            // On a busy machine the threads may be through before any of theirs leaves.
            AtomicInteger more = new AtomicInteger();
            Await.until("one to be sent", TestGroup.PLENTY, () -> {
                more.incrementAndGet();
                if (from.send(group.id(1), new byte[10])) {
                    taken.incrementAndGet();
                }
                return from.status().get(0).sent() > 0;
            });
            // Nothing else wakes the thread now: what is queued leaves, or the wake-up for it was lost.
            Await.until("all to be sent or counted", TestGroup.PLENTY, () -> {
                LinkStatus link = from.status().get(0);
                return link.sent() + link.dropped() == THREADS * PAYLOADS + more.get();
            });
            LinkStatus link = from.status().get(0);
            assertThat(link.sent()).isLessThanOrEqualTo(taken.get()).isPositive();
            assertThat(told.payloads.get()).isLessThanOrEqualTo(link.sent());
        }
    }

    @Test
    void aPayloadAfterAPauseAlwaysLeaves() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder here = new Recorder();
            Transport from = group.open(0, here);
            Recorder told = new Recorder();
            told.keepsPayloads = false;
            group.open(1, told);
            here.awaitConnected(group.id(1));
            // One at a time: the thread falls asleep in between, at every possible moment.
            for (int i = 1; i <= 5_000; i++) {
                assertThat(from.send(group.id(1), new byte[10])).isTrue();
                long end = System.nanoTime() + TestGroup.PLENTY.toNanos();
                while (told.payloads.get() < i) {
                    assertThat(System.nanoTime() - end).as("payload " + i).isNegative();
                    Thread.onSpinWait();
                }
            }
        }
    }
}
