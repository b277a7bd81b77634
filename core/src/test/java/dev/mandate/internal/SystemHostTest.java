package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The real machine. */
class SystemHostTest {
    private static final long LONG_SECONDS = 30;

    /** Inside a turn a thread may have to wait for a lock; what woke it meanwhile is seen to all the same. */
    @Test
    void whoeverIsWokenInATurnTakesAnotherThoughSomethingUsedThePermit() throws InterruptedException {
        SystemHost host = new SystemHost();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch isWoken = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(1);
        AtomicInteger turns = new AtomicInteger();
        Host.Drive drive = host.drive("turns", () -> {
            if (turns.incrementAndGet() > 1) {
                again.countDown();
                return Host.Step.DONE;
            }
            entered.countDown();
            while (isWoken.getCount() > 0) {
                Thread.onSpinWait();
            }
            LockSupport.park();
            return Long.MAX_VALUE;
        });

        assertThat(entered.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
        drive.wake();
        drive.wake();
        isWoken.countDown();

        assertThat(again.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(turns).hasValue(2);
    }

    @Test
    void whoeverIsWokenWhileItRestsTakesATurn() throws InterruptedException {
        SystemHost host = new SystemHost();
        AtomicInteger turns = new AtomicInteger();
        CountDownLatch[] taken = {new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1)};
        Host.Drive drive = host.drive("turns", () -> {
            int turn = turns.getAndIncrement();
            taken[turn].countDown();
            return turn == taken.length - 1 ? Host.Step.DONE : Long.MAX_VALUE;
        });

        for (CountDownLatch turn : taken) {
            assertThat(turn.await(LONG_SECONDS, TimeUnit.SECONDS)).isTrue();
            drive.wake();
        }
    }
}
