package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.List;
import java.util.PriorityQueue;

/** Until when work whose term is over must stop. Under the {@link Watchdog}'s lock. */
final class WorkDeadlines {
    /** Work that must not outlive its deadline: {@code atNanos}, or the end of the lease by the first clock. */
    private record Deadline(WonLeadership term, long atNanos) implements Comparable<Deadline> {
        boolean isOver(Now now) {
            return atNanos <= now.monotonicNanos()
                    || term.term().cell().window().isEndPassed(now);
        }

        @Override
        public int compareTo(Deadline other) {
            return Long.compare(atNanos - other.atNanos, 0);
        }
    }

    private final long spacingNanos;
    private final PriorityQueue<Deadline> pending = new PriorityQueue<>();
    private long lookedNanos;

    /** None yet; {@code spacingNanos}: how often all are checked on all clocks. */
    WorkDeadlines(long spacingNanos, Now now) {
        this.spacingNanos = spacingNanos;
        this.lookedNanos = now.monotonicNanos();
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    void add(WonLeadership term, long atNanos) {
        pending.add(new Deadline(term, atNanos));
    }

    /** Moves the terms whose work is overdue to {@code overdue}. */
    void collect(Now now, boolean haveClocksMoved, List<WonLeadership> overdue) {
        for (Deadline d = pending.peek(); d != null && d.isOver(now); d = pending.peek()) {
            overdue.add(d.term);
            pending.remove();
        }
        if (haveClocksMoved || now.monotonicNanos() - lookedNanos >= spacingNanos) {
            // Unordered: a lease may end on another clock than the one that orders them.
            for (Deadline d : pending) {
                if (d.isOver(now)) {
                    overdue.add(d.term);
                }
            }
            pending.removeIf(d -> d.isOver(now));
            lookedNanos = now.monotonicNanos();
        }
    }

    /** When {@link #collect} is due; {@link Long#MAX_VALUE} if never. */
    long wakeAtNanos() {
        Deadline next = pending.peek();
        return next == null ? Long.MAX_VALUE : Math.min(lookedNanos + spacingNanos, next.atNanos);
    }
}
