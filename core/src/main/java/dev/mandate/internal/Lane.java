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
 * Short pieces that share {@value #SHORT_MAX} threads, in order. A piece that runs for 100 ms counts as one that
 * blocks: for each of these there are two more threads while others wait, its own and another one. So those that wait
 * get as many threads again every 100 to 200 ms, and there are never more than {@value #SHORT_MAX} threads beside twice
 * as many as pieces that block.
 *
 * <p>Pieces must not throw. Any thread.
 */
final class Lane {
    private static final int SHORT_MAX = 16;
    /**
     * How long a piece may run before it counts as one that blocks, and how often this is looked at while others wait.
     */
    private static final long SHORT_NANOS = 100_000_000;

    private final Host host;
    private final Executor own;
    private final Executor threads;

    /** Guards what follows; nothing foreign runs under it. */
    private final Object lock = new Object();

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    /** In the order in which they were asked for. */
    private final Set<Turn> turns = new LinkedHashSet<>();
    /** Those of them whose piece blocks. */
    private int blocked;

    private boolean isWatched;

    /** One thread, from when it is asked for until there is nothing left for it to do. */
    private static final class Turn {
        boolean isInside;
        boolean isBlocked;
        long insideSinceNanos;
    }

    /**
     * A lane without pieces.
     *
     * @param own starts threads of ours
     * @param threads starts those that pieces run on
     */
    Lane(Host host, Executor own, Executor threads) {
        this.host = host;
        this.own = own;
        this.threads = threads;
    }

    /**
     * Runs {@code piece} soon. Never blocks.
     *
     * @return false if there was no thread to be had: it runs with the next one, or not before a thread here has
     *     nothing else to do
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
        return begun == null ? watchOn() : begin(begun);
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
        while (waits) {
            try {
                waits = look();
            } catch (RuntimeException | Error e) {
                // Memory is short: perhaps it is not at the next look.
            }
            if (waits) {
                pause();
            }
        }
    }

    /** Starts threads for what waits behind pieces that block; whether something does. */
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
            // Nobody means this: it looks sooner.
        }
    }
}
