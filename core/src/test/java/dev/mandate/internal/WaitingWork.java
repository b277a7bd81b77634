package dev.mandate.internal;

import dev.mandate.Leadership;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Work on a real thread that waits until it is interrupted or let go. */
final class WaitingWork {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch let = new CountDownLatch(1);
    final AtomicReference<Leadership> leadership = new AtomicReference<>();
    final AtomicBoolean interrupted = new AtomicBoolean();
    final AtomicBoolean left = new AtomicBoolean();

    void run(Leadership won) {
        leadership.set(won);
        entered.countDown();
        try {
            let.await();
        } catch (InterruptedException e) {
            interrupted.set(true);
        } finally {
            left.set(true);
        }
    }

    boolean hasEntered() {
        return entered.getCount() == 0;
    }
}
