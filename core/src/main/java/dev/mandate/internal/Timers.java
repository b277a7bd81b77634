package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a loop is to do at a time. Cancelled ones take no more room than those that are to come. Not safe for use from
 * several threads.
 */
final class Timers {
    /** So few cancelled ones are no reason to look through all. */
    private static final int CANCELLED_MIN = 64;

    private final PriorityQueue<Timer> all = new PriorityQueue<>();
    private int cancelled;

    /** One event that is to come. */
    final class Timer implements Comparable<Timer> {
        private final long atNanos;
        /** Null once it is over. */
        private Loop.@Nullable Event event;

        private Timer(long atNanos, Loop.Event event) {
            this.atNanos = atNanos;
            this.event = event;
        }

        /** It does not happen, if it has not yet. */
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

    /** Has {@code event} happen at that time. */
    Timer at(long atNanos, Loop.Event event) {
        Timer timer = new Timer(atNanos, event);
        all.add(timer);
        return timer;
    }

    /** Takes out what is due, one after the other, and passes it to {@code run}. */
    void run(Now now, Consumer<Loop.Event> run) {
        Timer first = all.peek();
        while (first != null && first.atNanos <= now.monotonicNanos()) {
            all.poll();
            Loop.@Nullable Event event = first.event;
            if (event == null) {
                cancelled--;
            } else {
                first.event = null;
                run.accept(event);
            }
            first = all.peek();
        }
    }

    /** When the next one is due; {@link Long#MAX_VALUE} if there is none. */
    long firstAtNanos() {
        Timer first = all.peek();
        return first == null ? Long.MAX_VALUE : first.atNanos;
    }

    /** How many are kept, cancelled ones included. */
    int size() {
        return all.size();
    }
}
