package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** What a loop is to do at certain times. Cancelled timers take no more room than pending ones. Not thread-safe. */
final class Timers {
    /** With fewer cancelled timers than this, removing them is not worth a scan. */
    private static final int CANCELLED_MIN = 64;

    private final PriorityQueue<Timer> all = new PriorityQueue<>();
    private int cancelled;

    /** One pending event. */
    final class Timer implements Comparable<Timer> {
        private final long atNanos;
        /** Null once it is over. */
        private @Nullable Event event;

        private Timer(long atNanos, Event event) {
            this.atNanos = atNanos;
            this.event = event;
        }

        /** Prevents the event, unless it has happened. */
        void cancel() {
            if (event != null) {
                event = null;
                cancelled++;
                if (cancelled > CANCELLED_MIN && cancelled > all.size() / 2) {
                    all.removeIf(timer -> timer.event == null);
                    cancelled = 0;
                }
            }
        }

        @Override
        public int compareTo(Timer other) {
            return Long.compare(atNanos - other.atNanos, 0);
        }
    }

    /** Schedules {@code event}. */
    Timer at(long atNanos, Event event) {
        Timer timer = new Timer(atNanos, event);
        all.add(timer);
        return timer;
    }

    /** Takes out the next timer and, unless it was cancelled, runs its event. */
    void runNext(Now now) {
        Timer first = all.poll();
        if (first == null) {
            return;
        }
        @Nullable Event event = first.event;
        if (event == null) {
            cancelled--;
        } else {
            first.event = null;
            event.on(now);
        }
    }

    /** When the next timer is due, cancelled or not; {@link Long#MAX_VALUE} if there is none. */
    long firstAtNanos() {
        Timer first = all.peek();
        return first == null ? Long.MAX_VALUE : first.atNanos;
    }

    /** How many timers are kept, cancelled ones included. */
    int size() {
        return all.size();
    }
}
