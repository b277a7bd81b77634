package dev.mandate.internal;

import dev.mandate.Leadership;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Ignores interrupts until it is let go. */
final class Stubborn {
    final AtomicBoolean entered = new AtomicBoolean();
    final AtomicInteger interrupts = new AtomicInteger();
    final CountDownLatch let = new CountDownLatch(1);

    void run(Leadership won) {
        entered.set(true);
        while (true) {
            try {
                let.await();
                return;
            } catch (InterruptedException e) {
                interrupts.incrementAndGet();
            }
        }
    }
}
