package dev.mandate.peers.order;

import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Orders decisions by when they need a turn; at the same time, by when they were opened. */
final class Agenda<D extends Decision> {
    private final TreeSet<D> all = new TreeSet<>(Comparator.<D>comparingLong(decision -> decision.wakeAtNanos)
            .thenComparingLong(decision -> decision.serial));
    private long opened;

    void add(D decision) {
        decision.serial = opened++;
        decision.wakeAtNanos = decision.dueAtNanos();
        all.add(decision);
    }

    void remove(D decision) {
        all.remove(decision);
    }

    /** Call it after anything that {@code decision} waits for may have changed. */
    void update(D decision) {
        long due = decision.dueAtNanos();
        if (due != decision.wakeAtNanos && all.remove(decision)) {
            decision.wakeAtNanos = due;
            all.add(decision);
        }
    }

    /** The first decision that is due, or null. */
    @Nullable
    D due(long nowNanos) {
        return wakeAtNanos() <= nowNanos ? all.first() : null;
    }

    long wakeAtNanos() {
        return all.isEmpty() ? Long.MAX_VALUE : all.first().wakeAtNanos;
    }
}
