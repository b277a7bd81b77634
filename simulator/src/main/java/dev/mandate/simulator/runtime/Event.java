package dev.mandate.simulator.runtime;

import org.jspecify.annotations.Nullable;

/** Something that will happen at an instant: in the world at large, or inside one process. */
final class Event implements Comparable<Event> {
    final long at;
    final long order;
    final String what;
    final Runnable piece;
    /** In whose process; null for the world at large. It is put off while that is frozen, and lost with it. */
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

    /** The same, later. */
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
