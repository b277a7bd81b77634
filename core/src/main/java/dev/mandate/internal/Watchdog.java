package dev.mandate.internal;

import dev.mandate.engine.LeaseCell;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import dev.mandate.engine.SessionLease;
import java.util.ArrayList;
import java.util.List;
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
    static final long LOOK_NANOS = StopSchedule.QUARTER_NANOS;
    /** The least pause between checks of all cells on request: many may report at once, and one check serves all. */
    private static final long SCAN_NANOS = 20_000_000;
    /** How far the clocks may run apart before anything is rescheduled. */
    private static final long SKEW_NANOS = 5_000_000;

    /** Learns what the loop's machines must know. On the watchdog's thread; does not block. */
    interface Listener {
        /** The cell of {@code session} was latched. */
        void latched(SessionLease session);

        /** The cell of a term without a session was latched. */
        void latched(WonLeadership term);

        /** The clocks ran apart while something is held: what was scheduled by one is due by another. */
        void clocksMoved();
    }

    private final Host host;
    private final Listener listener;

    /** Guards what follows, unless stated otherwise. Nothing foreign runs under it. */
    private final Object lock = new Object();

    private final StopSchedule stops = new StopSchedule();
    private final WorkDeadlines deadlines;
    private long sleepsUntilNanos = Long.MAX_VALUE;
    private int held;
    private boolean stopped;
    private Now compared;
    private long lookedNanos;
    private long scannedNanos;

    /** Memory ran short half way: which cell waits where is no longer known. */
    private boolean isUnfinished;

    /** The clocks ran apart, and the loop does not know yet; on the watchdog's thread alone. */
    private boolean areClocksToTell;

    /** Set without the lock: the reporting thread must not wait while ten thousand cells are checked. */
    private volatile boolean isTold;

    private volatile Host.@Nullable Drive drive;

    Watchdog(Host host, Listener listener) {
        this.host = host;
        this.listener = listener;
        this.compared = host.now();
        this.deadlines = new WorkDeadlines(LOOK_NANOS, compared);
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
            Guarded watched = stops.find(cell);
            isFirst = watched == null;
            if (watched == null) {
                // Before reading the window, so that the cell reports whatever replaces it.
                cell.tell(this::lookNow);
                if (cell.isLatched()) {
                    isTold = true;
                }
                watched = new Guarded(cell, session, now);
                stops.add(watched, now);
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
            Guarded watched = stops.find(term.term().cell());
            if (watched == null || term.guardedAt < 0) {
                return;
            }
            watched.remove(term);
            held--;
            if (watched.terms().isEmpty()) {
                stops.remove(watched);
            }
        }
    }

    /** Handles the work of {@code term} if it still runs at that time. */
    void overdueAt(WonLeadership term, long atNanos) {
        boolean isSoon;
        synchronized (lock) {
            deadlines.add(term, atNanos);
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
                boolean haveClocksMoved = (held > 0 || !deadlines.isEmpty()) && haveRunApart(compared, now);
                // First: what follows may run out of memory.
                deadlines.collect(now, haveClocksMoved, overdue);
                try {
                    look(now, haveClocksMoved, over);
                } finally {
                    for (Guarded watched : over) {
                        held -= watched.terms().size();
                        watched.forget();
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
            listener.clocksMoved();
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
            stops.lookAtAll(now, over, wasUnfinished);
            scannedNanos = lookedNanos;
        }
        stops.collectDue(now, over);
        isUnfinished = false;
    }

    /** First ends every term for all callers, then interrupts the work, which takes threads and time. */
    private void announce(List<Guarded> over) {
        for (Guarded watched : over) {
            each(watched.terms(), WonLeadership::ranOut);
        }
        for (Guarded watched : over) {
            SessionLease session = watched.session();
            if (session != null) {
                each(List.of(session), listener::latched);
            } else {
                each(watched.terms(), listener::latched);
            }
        }
        for (Guarded watched : over) {
            each(watched.terms(), WonLeadership::interruptWork);
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
        wake = isTold ? Math.min(wake, scannedNanos + SCAN_NANOS) : wake;
        return Math.min(wake, Math.min(stops.wakeAtNanos(), deadlines.wakeAtNanos()));
    }

    private static boolean haveRunApart(Now before, Now now) {
        long monotonic = now.monotonicNanos() - before.monotonicNanos();
        long wall = (now.wallMillis() - before.wallMillis()) * 1_000_000;
        return Math.abs(wall - monotonic) > SKEW_NANOS
                || now.bootNanos() - before.bootNanos() - monotonic > LeaseWindow.BOOT_COARSE_NANOS;
    }
}
