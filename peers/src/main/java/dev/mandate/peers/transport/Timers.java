package dev.mandate.peers.transport;

import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Tasks to run at a given time. Not safe for use from many threads. */
final class Timers {
    private final TreeSet<Timer> set = new TreeSet<>();
    private long made;

    /** A task that runs at most once each time it is set. */
    final class Timer implements Comparable<Timer> {
        private final long number = made++;
        private final Runnable task;
        private long atNanos;
        private boolean isSet;

        private Timer(Runnable task) {
            this.task = task;
        }

        /** Sets or resets it. */
        void at(long nanos) {
            if (isSet && nanos == atNanos) {
                return;
            }
            cancel();
            atNanos = nanos;
            isSet = set.add(this);
        }

        void cancel() {
            if (isSet) {
                set.remove(this);
                isSet = false;
            }
        }

        @Override
        public int compareTo(Timer other) {
            // Differences, because System.nanoTime may overflow.
            int byTime = Long.signum(atNanos - other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    /** A timer that is not set. */
    Timer timer(Runnable task) {
        return new Timer(task);
    }

    /** How long until the first one; negative or zero if it is due, {@link Long#MAX_VALUE} if none is set. */
    long nanosToNext(long nowNanos) {
        return set.isEmpty() ? Long.MAX_VALUE : set.first().atNanos - nowNanos;
    }

    /** Runs what is due. */
    void run(long nowNanos) {
        while (!set.isEmpty() && set.first().atNanos - nowNanos <= 0) {
            Timer due = set.first();
            due.cancel();
            due.task.run();
        }
    }
}
