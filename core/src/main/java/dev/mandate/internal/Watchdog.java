package dev.mandate.internal;

import dev.mandate.engine.LeaseCell;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import dev.mandate.engine.SessionLease;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends terms at their stop, whatever else hangs: on its own thread, which does no I/O, takes no lock that is held over
 * foreign code, and needs neither the loop nor the store. One per client.
 *
 * <p>It sleeps until the first stop. While anything is held it compares the clocks every quarter of a second, because
 * the monotonic clock stands still during a suspension. When the clocks ran apart, it checks every cell, on all clocks.
 * It also does so when a cell reports that it was ended, or that a shorter grant may bring its stop forward.
 */
final class Watchdog implements Host.Step {
    /** How often the clocks are compared while a term is held: no stop is found later than that. */
    static final long LOOK_NANOS = 250_000_000;
    /** The least pause between checks of all cells on request: many may report at once, and one check serves all. */
    private static final long SCAN_NANOS = 20_000_000;
    /** How far the clocks may run apart, or a stop may move, before anything is rescheduled. */
    private static final long SKEW_NANOS = 5_000_000;

    /** Learns what the loop's machines must know. On the watchdog's thread; does not block. */
    interface Informed {
        /** The cell of {@code session} was latched. */
        void latched(SessionLease session);

        /** The cell of a term without a session was latched. */
        void latched(WonLeadership term);

        /** The clocks ran apart while something is held: what was scheduled by one is due by another. */
        void clocksMoved();
    }

    /** One cell and the terms it bounds. */
    private static final class Guarded implements Comparable<Guarded> {
        private final LeaseCell cell;
        private final @Nullable SessionLease session;
        private final List<WonLeadership> terms = new ArrayList<>(1);
        private long lookAtNanos;

        Guarded(LeaseCell cell, @Nullable SessionLease session, Now now) {
            this.cell = cell;
            this.session = session;
            this.lookAtNanos = stopAtNanos(now);
        }

        /** When its stop passes, by the first clock to say so. */
        long stopAtNanos(Now now) {
            return cell.window().stopAtNanos(now);
        }

        @Override
        public int compareTo(Guarded other) {
            return Long.compare(lookAtNanos - other.lookAtNanos, 0);
        }

        void add(WonLeadership term) {
            int at = terms.size();
            terms.add(term);
            term.guardedAt = at;
        }

        void remove(WonLeadership term) {
            int at = term.guardedAt;
            if (at < 0 || at >= terms.size() || terms.get(at) != term) {
                return;
            }
            WonLeadership last = terms.remove(terms.size() - 1);
            if (last != term) {
                terms.set(at, last);
                last.guardedAt = at;
            }
            term.guardedAt = -1;
        }
    }

    /** Work that must not outlive its deadline: {@code atNanos}, or the end of the lease by the first clock. */
    private record Overdue(WonLeadership term, long atNanos) implements Comparable<Overdue> {
        boolean isOver(Now now) {
            return atNanos <= now.monotonicNanos()
                    || term.term().cell().window().isEndPassed(now);
        }

        @Override
        public int compareTo(Overdue other) {
            return Long.compare(atNanos - other.atNanos, 0);
        }
    }

    private final Host host;
    private final Informed informed;

    /** Guards what follows, unless stated otherwise. Nothing foreign runs under it. */
    private final Object lock = new Object();

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

    private final PriorityQueue<Overdue> draining = new PriorityQueue<>();
    private long sleepsUntilNanos = Long.MAX_VALUE;
    private int held;
    private boolean stopped;
    private Now compared;
    private long lookedNanos;
    private long drainingLookedNanos;
    private long scannedNanos;

    /** Memory ran short half way: which cell waits where is no longer known. */
    private boolean isUnfinished;

    /** The clocks ran apart, and the loop does not know yet; on the watchdog's thread alone. */
    private boolean areClocksToTell;

    /** Set without the lock: the reporting thread must not wait while ten thousand cells are checked. */
    private volatile boolean isTold;

    private volatile Host.@Nullable Drive drive;

    Watchdog(Host host, Informed informed) {
        this.host = host;
        this.informed = informed;
        this.compared = host.now();
        this.drainingLookedNanos = compared.monotonicNanos();
        this.scannedNanos = compared.monotonicNanos() - SCAN_NANOS;
    }

    void startOn(String name) {
        drive = host.drive(name, this);
    }

    Host.@Nullable Drive drive() {
        return drive;
    }

    boolean isCurrent() {
        Host.Drive driven = drive;
        return driven != null && driven.isCurrent();
    }

    private void wake() {
        Host.Drive driven = drive;
        if (driven != null) {
            driven.wake();
        }
    }

    /** From now on {@code term} ends at its stop; {@code session} keeps its lease, if one does. */
    void guard(WonLeadership term, @Nullable SessionLease session) {
        boolean isFirst;
        // Before taking the lock: a thread paused at a clock must not delay those that wait for the lock.
        Now now = host.now();
        synchronized (lock) {
            LeaseCell cell = term.term().cell();
            Guarded watched = guarded.get(cell);
            isFirst = watched == null;
            if (watched == null) {
                // Before reading the window, so that the cell reports whatever replaces it.
                cell.tell(this::lookNow);
                if (cell.isLatched()) {
                    isTold = true;
                }
                watched = new Guarded(cell, session, now);
                schedule(watched, now);
                guarded.put(cell, watched);
            }
            watched.add(term);
            if (held++ == 0) {
                compared = now;
                lookedNanos = now.monotonicNanos();
            }
        }
        if (isFirst) {
            wake();
        }
    }

    /** The term ended in some other way. */
    void release(WonLeadership term) {
        synchronized (lock) {
            Guarded watched = guarded.get(term.term().cell());
            if (watched == null || term.guardedAt < 0) {
                return;
            }
            watched.remove(term);
            held--;
            if (watched.terms.isEmpty()) {
                // The schedule drops it when its time comes; removing it now would take a search.
                guarded.remove(watched.cell);
            }
        }
    }

    /** Handles the work of {@code term} if it still runs at that time. */
    void overdueAt(WonLeadership term, long atNanos) {
        boolean isSoon;
        synchronized (lock) {
            draining.add(new Overdue(term, atNanos));
            isSoon = atNanos < sleepsUntilNanos;
        }
        if (isSoon) {
            wake();
        }
    }

    /**
     * A cell was latched by another thread and its terms must be told, or a stop may come sooner than was thought.
     * Checks all cells now, or 20 ms after the last check.
     */
    void lookNow() {
        isTold = true;
        wake();
    }

    void stop() {
        synchronized (lock) {
            stopped = true;
        }
        wake();
    }

    @Override
    public long step() {
        Now now = host.now();
        List<Guarded> over = new ArrayList<>(1);
        List<WonLeadership> overdue = new ArrayList<>(0);
        long wake;
        try {
            synchronized (lock) {
                if (stopped) {
                    return DONE;
                }
                boolean haveClocksMoved = (held > 0 || !draining.isEmpty()) && haveRunApart(compared, now);
                // First: what follows may run out of memory.
                collectOverdue(now, haveClocksMoved, overdue);
                try {
                    look(now, haveClocksMoved, over);
                } finally {
                    for (Guarded watched : over) {
                        forget(watched);
                    }
                }
                wake = wakeAtNanos();
                sleepsUntilNanos = wake;
            }
        } finally {
            // Even if memory ran short half way: what was found will not be found again.
            each(overdue, WonLeadership::overdue);
            announce(over);
        }
        if (areClocksToTell) {
            areClocksToTell = false;
            informed.clocksMoved();
        }
        return wake;
    }

    /** Collects the cells that are over. */
    private void look(Now now, boolean haveClocksMoved, List<Guarded> over) {
        if (haveClocksMoved) {
            compared = now;
            areClocksToTell = true;
        }
        lookedNanos = now.monotonicNanos();
        boolean isScanDue = isTold && lookedNanos - scannedNanos >= SCAN_NANOS;
        boolean wasUnfinished = isUnfinished;
        isUnfinished = true;
        if (haveClocksMoved || isScanDue || wasUnfinished) {
            // First: any report from now on causes another check.
            isTold = false;
            lookAtAll(now, over, wasUnfinished);
            scannedNanos = lookedNanos;
        }
        collectDue(now, over);
        isUnfinished = false;
    }

    private void forget(Guarded watched) {
        held -= watched.terms.size();
        watched.terms.forEach(term -> term.guardedAt = -1);
    }

    private void collectOverdue(Now now, boolean haveClocksMoved, List<WonLeadership> overdue) {
        for (Overdue d = draining.peek(); d != null && d.isOver(now); d = draining.peek()) {
            overdue.add(d.term);
            draining.remove();
        }
        if (haveClocksMoved || now.monotonicNanos() - drainingLookedNanos >= LOOK_NANOS) {
            // Unordered: a lease may end on another clock than the one that orders them.
            for (Overdue d : draining) {
                if (d.isOver(now)) {
                    overdue.add(d.term);
                }
            }
            draining.removeIf(d -> d.isOver(now));
            drainingLookedNanos = now.monotonicNanos();
        }
    }

    /** Finds cells that are over, and cells that will be sooner than was thought. */
    private void lookAtAll(Now now, List<Guarded> over, boolean anew) {
        boolean isAnySooner = anew;
        // A single pass: with many cells, the main cost is fetching each from memory.
        for (Iterator<Guarded> all = guarded.values().iterator(); all.hasNext(); ) {
            Guarded watched = all.next();
            if (isOver(watched, now)) {
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
        return Math.floorDiv(atNanos, LOOK_NANOS);
    }

    /** Checks the cells whose stop should have passed; reschedules those that were extended meanwhile. */
    private void collectDue(Now now, List<Guarded> over) {
        long present = quarter(now.monotonicNanos());
        while (!byQuarter.isEmpty() && byQuarter.firstKey() <= present) {
            byQuarter.pollFirstEntry().getValue().forEach(watched -> lookAt(watched, now, over));
        }
        while (!soon.isEmpty() && soon.peek().lookAtNanos <= now.monotonicNanos()) {
            lookAt(soon.poll(), now, over);
        }
    }

    private void lookAt(Guarded watched, Now now, List<Guarded> over) {
        if (guarded.get(watched.cell) != watched) {
            return;
        }
        if (isOver(watched, now)) {
            over.add(watched);
            guarded.remove(watched.cell);
            return;
        }
        watched.lookAtNanos = Math.max(watched.stopAtNanos(now), now.monotonicNanos() + 1);
        schedule(watched, now);
    }

    private static boolean isOver(Guarded watched, Now now) {
        return watched.cell.check(() -> now) != LeaseCell.Verdict.OPEN;
    }

    /** First ends every term for all callers, then interrupts the work, which takes threads and time. */
    private void announce(List<Guarded> over) {
        for (Guarded watched : over) {
            each(watched.terms, WonLeadership::ranOut);
        }
        for (Guarded watched : over) {
            if (watched.session != null) {
                each(List.of(watched.session), informed::latched);
            } else {
                each(watched.terms, informed::latched);
            }
        }
        for (Guarded watched : over) {
            each(watched.terms, WonLeadership::interruptWork);
        }
    }

    /** One failure must not keep the others from being told. What the loop is not told, it finds by itself. */
    private static <T> void each(List<T> all, Consumer<T> what) {
        for (T one : all) {
            try {
                what.accept(one);
            } catch (RuntimeException | Error e) {
                // There is nobody to tell; by its cell the term is over.
            }
        }
    }

    private long wakeAtNanos() {
        long wake = held > 0 ? lookedNanos + LOOK_NANOS : Long.MAX_VALUE;
        wake = draining.isEmpty() ? wake : Math.min(wake, drainingLookedNanos + LOOK_NANOS);
        wake = isTold ? Math.min(wake, scannedNanos + SCAN_NANOS) : wake;
        wake = byQuarter.isEmpty() ? wake : Math.min(wake, byQuarter.firstKey() * LOOK_NANOS);
        Guarded first = soon.peek();
        wake = first == null ? wake : Math.min(wake, first.lookAtNanos);
        Overdue next = draining.peek();
        return next == null ? wake : Math.min(wake, next.atNanos);
    }

    private static boolean haveRunApart(Now before, Now now) {
        long monotonic = now.monotonicNanos() - before.monotonicNanos();
        long wall = (now.wallMillis() - before.wallMillis()) * 1_000_000;
        return Math.abs(wall - monotonic) > SKEW_NANOS
                || now.bootNanos() - before.bootNanos() - monotonic > LeaseWindow.BOOT_COARSE_NANOS;
    }
}
