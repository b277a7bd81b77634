package dev.mandate.simulator.classic;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Future happenings, earliest first; at one instant, in the order in which they were added. */
final class Happenings {
    private record Happening(long atNanos, long serial, Runnable what) {}

    private final PriorityQueue<Happening> queue =
            new PriorityQueue<>(Comparator.comparingLong(Happening::atNanos).thenComparingLong(Happening::serial));
    private long serial;

    void add(long atNanos, Runnable what) {
        queue.add(new Happening(atNanos, serial++, what));
    }

    /** When the first is due; {@code Long.MAX_VALUE} if there is none. */
    long nextNanos() {
        Happening first = queue.peek();
        return first == null ? Long.MAX_VALUE : first.atNanos;
    }

    /** Removes and runs the first. */
    void runFirst() {
        queue.remove().what.run();
    }
}
