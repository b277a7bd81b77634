package dev.mandate.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Short pieces that share {@value #SHORT_MAX} threads, in order. A piece that has run for 100 ms counts as blocked.
 * While others wait, each blocked piece allows two more threads: one in its place, and one extra. So every 100 to 200
 * ms the waiting pieces get as many threads again. The limit is {@value #SHORT_MAX} threads plus twice the number of
 * blocked pieces.
 *
 * <p>Pieces must not throw. Any thread.
 */
final class Lane {
    private static final int SHORT_MAX = 16;
    /** How long a piece may run before it counts as blocked, and how often this is checked while others wait. */
    private static final long SHORT_NANOS = 100_000_000;

    private final Host host;
    private final Executor own;
    private final Executor threads;
    private final Runnable stranded;

    /** Guards what follows; nothing foreign runs under it. */
    private final Object lock = new Object();

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    /** In the order in which they were requested. */
    private final Set<Turn> turns = new LinkedHashSet<>();
    /** How many of them run a blocked piece. */
    private int blocked;

    private boolean isWatched;

    /** When to try again to start a thread, for a piece that waits and would else be forgotten. */
    private volatile long retryAtNanos = Long.MAX_VALUE;

    /** One thread, from its request until it has nothing left to do. */
    private static final class Turn {
        boolean isInside;
        boolean isBlocked;
        long insideSinceNanos;
    }

    /**
     * A lane without pieces.
     *
     * @param own starts threads of ours
     * @param threads starts the threads that pieces run on
     * @param stranded called, on any thread, when there is a new time for a {@link #retry}
     */
    Lane(Host host, Executor own, Executor threads, Runnable stranded) {
        this.host = host;
        this.own = own;
        this.threads = threads;
        this.stranded = stranded;
    }

    /**
     * Runs {@code piece} soon. Never blocks.
     *
     * @return false if no thread was available: the piece runs with the next one, or after a {@link #retry}
     */
    boolean run(Runnable piece) {
        Turn begun = null;
        synchronized (lock) {
            waiting.add(piece);
            if (mayBegin()) {
                begun = new Turn();
                turns.add(begun);
            } else if (isWatched) {
                return true;
            } else {
                isWatched = true;
            }
        }
        boolean isServed = begun == null ? watchOn() : begin(begun);
        if (!isServed) {
            retryLater();
        }
        return isServed;
    }

    private boolean mayBegin() {
        return turns.size() < SHORT_MAX + 2 * blocked;
    }

    private boolean begin(Turn turn) {
        try {
            threads.execute(() -> work(turn));
            return true;
        } catch (RuntimeException | Error e) {
            synchronized (lock) {
                turns.remove(turn);
            }
            return false;
        }
    }

    private void work(Turn mine) {
        for (Runnable piece = next(mine); piece != null; piece = next(mine)) {
            piece.run();
        }
    }

    @Nullable
    private Runnable next(Turn mine) {
        long now = host.nanos();
        synchronized (lock) {
            if (mine.isBlocked) {
                mine.isBlocked = false;
                blocked--;
            }
            Runnable piece = waiting.poll();
            mine.isInside = piece != null;
            mine.insideSinceNanos = now;
            if (piece == null) {
                turns.remove(mine);
            }
            return piece;
        }
    }

    // ---- while no thread is available ----

    private void retryLater() {
        retryAtNanos = host.nanos() + SHORT_NANOS;
        stranded.run();
    }

    /** When {@link #retry} has something to do; {@link Long#MAX_VALUE} if nothing waits for it. */
    long retryAtNanos() {
        return retryAtNanos;
    }

    /** Tries again what failed for want of a thread, if it is time. Never blocks. */
    void retry(long nowNanos) {
        if (nowNanos < retryAtNanos) {
            return;
        }
        retryAtNanos = Long.MAX_VALUE;
        synchronized (lock) {
            if (isWatched || waiting.isEmpty()) {
                return;
            }
            isWatched = true;
        }
        if (!watchOn()) {
            retryLater();
        }
    }

    /** Runs on the caller's thread what still waits for one; nobody tries again from here on. May block. */
    void finish() {
        if (retryAtNanos == Long.MAX_VALUE) {
            return;
        }
        Turn mine = new Turn();
        synchronized (lock) {
            turns.add(mine);
        }
        work(mine);
    }

    // ---- while pieces wait ----

    private boolean watchOn() {
        try {
            own.execute(this::watch);
            return true;
        } catch (RuntimeException | Error e) {
            synchronized (lock) {
                isWatched = false;
            }
            return false;
        }
    }

    private void watch() {
        boolean waits = true;
        try {
            while (waits) {
                try {
                    waits = look();
                } catch (RuntimeException | Error e) {
                    // Memory is short; perhaps not at the next look.
                }
                if (waits) {
                    pause();
                }
            }
        } finally {
            if (waits) {
                synchronized (lock) {
                    isWatched = false;
                }
                retryLater();
            }
        }
    }

    /** Starts threads for pieces that wait behind blocked ones; whether any wait. */
    private boolean look() {
        long now = host.nanos();
        List<Turn> begun = new ArrayList<>();
        try {
            synchronized (lock) {
                if (waiting.isEmpty()) {
                    isWatched = false;
                    return false;
                }
                countBlocked(now);
                for (int left = waiting.size(); left > 0 && mayBegin(); left--) {
                    Turn added = new Turn();
                    begun.add(added);
                    turns.add(added);
                }
            }
            return true;
        } finally {
            begun.forEach(this::begin);
        }
    }

    private void countBlocked(long nowNanos) {
        for (Turn turn : turns) {
            if (turn.isInside && !turn.isBlocked && nowNanos - turn.insideSinceNanos >= SHORT_NANOS) {
                turn.isBlocked = true;
                blocked++;
            }
        }
    }

    private void pause() {
        try {
            host.await(new CompletableFuture<Void>(), host.nanos() + SHORT_NANOS);
        } catch (InterruptedException e) {
            // Nobody interrupts this on purpose: it only looks sooner.
        }
    }
}
