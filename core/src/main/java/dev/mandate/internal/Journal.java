package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.spi.Ration;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a client writes to the log: one line per change of role at INFO, with stable keys; a bounded number of lines
 * about trouble with the store; what a human should look at as WARNING.
 *
 * <p>Another thread calls the logger, even to ask whether it wants a line: a logger that blocks (a full disk, a paused
 * terminal) must not delay a renewal. At most {@value #WAITING_MAX} lines wait; more are counted and dropped.
 *
 * <p>No method here throws. A line that cannot be made, for lack of memory, is lost; what it reports still happens.
 */
final class Journal {
    private static final int WAITING_MAX = 4_096;
    private static final long OUTAGE_SPACING_NANOS = 60_000_000_000L;

    private record Line(Level level, String text, @Nullable Throwable thrown) {}

    private final System.Logger logger;
    private final String candidate;
    private final Executor writers;

    /** Guards everything below; nothing foreign runs under it. */
    private final Object lock = new Object();

    private final Queue<Line> waiting = new ArrayDeque<>();
    private boolean writing;
    private @Nullable CompletableFuture<Void> idle;
    private long dropped;
    private final Ration outages = new Ration(OUTAGE_SPACING_NANOS);
    private final Ration overruns = new Ration(OUTAGE_SPACING_NANOS);
    private long outageNanos;
    private long troubledSinceNanos;
    private volatile boolean troubled;

    Journal(System.Logger logger, String candidate, Executor writers) {
        this.logger = logger;
        this.candidate = Leader.printable(candidate);
        this.writers = writers;
    }

    /** A term began. */
    void elected(String election, long term, Duration remaining) {
        try {
            say(
                    Level.INFO,
                    "elected election=" + Leader.printable(election) + " candidate=" + candidate + " term=" + term
                            + " reason=won remaining=" + millis(remaining));
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /** A term ended. */
    void ended(String election, long term, String reason, Duration remaining) {
        try {
            say(
                    Level.INFO,
                    "ended election=" + Leader.printable(election) + " candidate=" + candidate + " term=" + term
                            + " reason='" + reason + "' remaining=" + millis(remaining));
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /** Something about one term that a human should look at. */
    void warn(String election, long term, String what, @Nullable Throwable thrown) {
        try {
            add(new Line(
                    Level.WARNING,
                    what + " election=" + Leader.printable(election) + " candidate=" + candidate + " term=" + term,
                    thrown));
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /** Something that a human should look at. */
    void warn(String what, @Nullable Throwable thrown) {
        try {
            add(new Line(Level.WARNING, what + " candidate=" + candidate, thrown));
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    void say(Level level, String text) {
        try {
            add(new Line(level, text, null));
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /** The store failed or did not answer. Logs ten times, then once a minute; a quiet minute restores the ten. */
    void outage(String what, @Nullable Throwable thrown, long nowNanos) {
        try {
            long times;
            synchronized (lock) {
                if (!troubled && nowNanos - outageNanos >= OUTAGE_SPACING_NANOS) {
                    outages.renew();
                }
                outageNanos = nowNanos;
                if (!troubled) {
                    troubled = true;
                    troubledSinceNanos = nowNanos;
                }
                times = outages.happened(nowNanos);
                if (times == 0) {
                    return;
                }
            }
            String why = thrown == null ? "" : ": " + Leader.printable(String.valueOf(thrown.getMessage()));
            say(
                    Level.WARNING,
                    "store trouble: " + what + why + " candidate=" + candidate + (times > 1 ? " times=" + times : ""));
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /**
     * The store answered: trouble, if there was any, is over. Logged after every long outage, and after short ones as
     * the budget of lines allows.
     */
    void well(long nowNanos) {
        try {
            if (!troubled) {
                return;
            }
            synchronized (lock) {
                troubled = false;
                boolean isLong = nowNanos - troubledSinceNanos >= OUTAGE_SPACING_NANOS;
                if (!isLong && !outages.maySay(nowNanos)) {
                    return;
                }
            }
            say(Level.INFO, "the store answers again candidate=" + candidate);
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /** Work of a term outlived its budget. Logs ten times, then once a minute, however many terms end at once. */
    void overrun(String election, long term, String what, Supplier<@Nullable Throwable> thrown, long nowNanos) {
        try {
            long times;
            synchronized (lock) {
                times = overruns.happened(nowNanos);
            }
            if (times > 0) {
                warn(election, term, what + (times > 1 ? " times=" + times : ""), thrown.get());
            }
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /** The client is over: one line for all overruns not logged so far. */
    void finished() {
        try {
            long times;
            synchronized (lock) {
                times = overruns.unsaid();
            }
            if (times > 0) {
                warn("OVERRUN: and " + times + " more terms like these", null);
            }
        } catch (RuntimeException | Error e) {
            lost();
        }
    }

    /** Completed when every line that waits now is written or dropped. */
    CompletableFuture<Void> written() {
        synchronized (lock) {
            if (!writing) {
                return CompletableFuture.completedFuture(null);
            }
            if (idle == null) {
                idle = new CompletableFuture<>();
            }
            return idle;
        }
    }

    private void lost() {
        synchronized (lock) {
            dropped++;
        }
    }

    private void add(Line line) {
        synchronized (lock) {
            if (waiting.size() >= WAITING_MAX) {
                dropped++;
                return;
            }
            waiting.add(line);
            if (writing) {
                return;
            }
            writing = true;
        }
        try {
            writers.execute(this::write);
        } catch (RuntimeException | Error e) {
            // No thread is available: waiting lines are written with the next one.
            synchronized (lock) {
                writing = false;
            }
        }
    }

    private void write() {
        while (true) {
            Line next;
            long lost = 0;
            synchronized (lock) {
                next = waiting.poll();
                if (next == null) {
                    writing = false;
                    tellIdle();
                    return;
                }
                if (waiting.isEmpty()) {
                    lost = dropped;
                    dropped = 0;
                }
            }
            try {
                if (logger.isLoggable(next.level)) {
                    logger.log(next.level, next.text, next.thrown);
                }
                if (lost > 0) {
                    logger.log(
                            Level.WARNING, lost + " lines were dropped: the log does not keep up, or memory is short");
                }
            } catch (RuntimeException | Error e) {
                // A logger that throws cannot be reported; the next line may fare better.
            }
        }
    }

    /** Completing it under the lock runs nobody's code: only this class waits for it, and nothing depends on it. */
    private void tellIdle() {
        if (idle != null) {
            idle.complete(null);
            idle = null;
        }
    }

    private static String millis(Duration d) {
        return d.toMillis() + "ms";
    }
}
