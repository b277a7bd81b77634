package dev.mandate.simulator.runtime;

import org.jspecify.annotations.Nullable;

/** A future event, in the world at large or inside one process. */
final class Event implements Comparable<Event> {
    final long at;
    final long order;
    final String what;
    final Runnable piece;
    /** The process it happens in, or null for the world. It waits while that is frozen and is lost with it. */
    final @Nullable Process process;

    private final int epoch;

    Event(long at, long order, @Nullable Process process, String what, Runnable piece) {
        this.at = at;
        this.order = order;
        this.process = process;
        this.epoch = process == null ? 0 : process.epoch;
        this.what = what;
        this.piece = piece;
    }

    /** The same event, later. */
    Event again(long later, long newOrder) {
        return new Event(later, newOrder, process, what, piece);
    }

    boolean isStale() {
        return process != null && (process.epoch != epoch || !process.isUp);
    }

    @Override
    public int compareTo(Event other) {
        return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
}
