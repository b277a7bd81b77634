package dev.mandate.internal;

import dev.mandate.engine.LeaseCell;
import dev.mandate.engine.Now;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The cells that the {@link Watchdog} guards, and when to look at each. Under the watchdog's lock. */
final class StopSchedule {
    /** Stops further away than this are kept by the quarter of a second. */
    static final long QUARTER_NANOS = 250_000_000;
    /** How far a stop may move forward before anything is rescheduled. */
    private static final long SKEW_NANOS = 5_000_000;

    /** By identity: no two cells are equal. In the order of arrival, so that equal events have equal effects. */
    private final Map<LeaseCell, Guarded> guarded = new LinkedHashMap<>();

    /**
     * Cells whose stop was last known to pass in a coming quarter of a second, counted from the clock's zero. By the
     * time a quarter begins, most of its cells were extended and move to a later one: that is cheaper than keeping all
     * in order.
     */
    private final TreeMap<Long, List<Guarded>> byQuarter = new TreeMap<>();

    /** Cells whose stop passes in the current quarter, in order. */
    private final PriorityQueue<Guarded> soon = new PriorityQueue<>();

    @Nullable
    Guarded find(LeaseCell cell) {
        return guarded.get(cell);
    }

    void add(Guarded watched, Now now) {
        schedule(watched, now);
        guarded.put(watched.cell(), watched);
    }

    /** The schedule drops it when its time comes; removing it there now would take a search. */
    void remove(Guarded watched) {
        guarded.remove(watched.cell());
    }

    /**
     * Removes all cells that are over, and finds those that will be sooner than was thought.
     *
     * @param over where the former are added
     * @param anew whether it is no longer known which cell waits where
     */
    void lookAtAll(Now now, List<Guarded> over, boolean anew) {
        boolean isAnySooner = anew;
        // A single pass: with many cells, the main cost is fetching each from memory.
        for (Iterator<Guarded> all = guarded.values().iterator(); all.hasNext(); ) {
            Guarded watched = all.next();
            if (watched.isOver(now)) {
                over.add(watched);
                all.remove();
                continue;
            }
            long stopAt = watched.stopAtNanos(now);
            if (watched.lookAtNanos - stopAt > SKEW_NANOS) {
                watched.lookAtNanos = stopAt;
                isAnySooner = true;
            }
        }
        if (isAnySooner) {
            byQuarter.clear();
            soon.clear();
            guarded.values().forEach(watched -> schedule(watched, now));
        }
    }

    private void schedule(Guarded watched, Now now) {
        long quarter = quarter(watched.lookAtNanos);
        if (quarter <= quarter(now.monotonicNanos())) {
            soon.add(watched);
        } else {
            byQuarter.computeIfAbsent(quarter, q -> new ArrayList<>()).add(watched);
        }
    }

    private static long quarter(long atNanos) {
        return Math.floorDiv(atNanos, QUARTER_NANOS);
    }

    /** Removes the cells whose stop has passed, as it should have by now; reschedules those that were extended. */
    void collectDue(Now now, List<Guarded> over) {
        long present = quarter(now.monotonicNanos());
        while (!byQuarter.isEmpty() && byQuarter.firstKey() <= present) {
            byQuarter.pollFirstEntry().getValue().forEach(watched -> lookAt(watched, now, over));
        }
        while (!soon.isEmpty() && soon.peek().lookAtNanos <= now.monotonicNanos()) {
            lookAt(soon.poll(), now, over);
        }
    }

    private void lookAt(Guarded watched, Now now, List<Guarded> over) {
        if (guarded.get(watched.cell()) != watched) {
            return;
        }
        if (watched.isOver(now)) {
            over.add(watched);
            guarded.remove(watched.cell());
            return;
        }
        watched.lookAtNanos = Math.max(watched.stopAtNanos(now), now.monotonicNanos() + 1);
        schedule(watched, now);
    }

    /** When {@link #collectDue} is due; {@link Long#MAX_VALUE} if never. */
    long wakeAtNanos() {
        long wake = byQuarter.isEmpty() ? Long.MAX_VALUE : byQuarter.firstKey() * QUARTER_NANOS;
        Guarded first = soon.peek();
        return first == null ? wake : Math.min(wake, first.lookAtNanos);
    }
}
