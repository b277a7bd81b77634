package dev.mandate.internal;

import java.util.concurrent.atomic.AtomicBoolean;

/** Has the loop do one thing soon. However often it is given meanwhile, one event waits. Any thread. */
final class Signal {
    private final Loop loop;
    private final Event event;
    private final AtomicBoolean isGiven = new AtomicBoolean();

    /** {@code event} is what the loop does. */
    Signal(Loop loop, Event event) {
        this.loop = loop;
        this.event = event;
    }

    /** Never blocks. */
    void give() {
        if (!isGiven.compareAndSet(false, true)) {
            return;
        }
        boolean isPosted = false;
        try {
            loop.post(now -> {
                isGiven.set(false);
                event.on(now);
            });
            isPosted = true;
        } finally {
            isGiven.compareAndSet(!isPosted, false);
        }
    }
}
