package dev.mandate.internal;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Everything that is not ours to run: tasks, listeners, health checks, completions of stages, loggers. All of it runs on the client's
 * executor, never on a thread that renews or watches, and never under a lock.
 *
 * <p>Short pieces share at most {@value #AT_ONCE_MAX} threads, so that ten thousand terms that end at once do not start as many threads; a
 * piece that blocks takes one of them. What waits is bounded by what it is about: one end per term, one piece per listener.
 */
final class Callbacks {
    private static final int AT_ONCE_MAX = 16;

    private final Executor executor;
    private final BooleanSupplier isOnOwnThread;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final Set<Thread> inside = ConcurrentHashMap.newKeySet();

    /**
     * On {@code executor}.
     *
     * @param isOnOwnThread whether the caller is a thread of the runtime, on which nothing foreign may run
     */
    Callbacks(Executor executor, BooleanSupplier isOnOwnThread) {
        this.executor = executor;
        this.isOnOwnThread = isOnOwnThread;
    }

    /** Whether the caller is inside foreign code that was called from here. */
    boolean isInside() {
        return inside.contains(Thread.currentThread());
    }

    /** Runs a short piece soon. Never blocks, never throws. */
    void run(Runnable piece) {
        waiting.add(piece);
        if (claim()) {
            begin();
        }
    }

    private boolean claim() {
        int now = atOnce.get();
        while (now < AT_ONCE_MAX) {
            if (atOnce.compareAndSet(now, now + 1)) {
                return true;
            }
            now = atOnce.get();
        }
        return false;
    }

    private void begin() {
        try {
            executor.execute(() -> {
                if (isOnOwnThread.getAsBoolean()) {
                    beginElsewhere();
                } else {
                    work();
                }
            });
        } catch (RuntimeException | Error e) {
            beginElsewhere();
        }
    }

    /** The executor refused, or would have run it here: an end that nobody is told of would be worse than one thread more. */
    private void beginElsewhere() {
        try {
            Thread thread = new Thread(this::work, "mandate-callback");
            thread.setDaemon(true);
            thread.start();
        } catch (Error e) {
            // No thread to be had: what waits is run with the next piece.
            atOnce.decrementAndGet();
        }
    }

    private void work() {
        while (true) {
            Runnable piece = waiting.poll();
            if (piece != null) {
                guarded(piece);
                continue;
            }
            atOnce.decrementAndGet();
            if (waiting.isEmpty() || !claim()) {
                return;
            }
        }
    }

    private void guarded(Runnable piece) {
        boolean isOutermost = inside.add(Thread.currentThread());
        try {
            piece.run();
        } catch (Throwable e) {
            // Every piece takes care of what its foreign code throws; what comes this far has nobody to be told.
        } finally {
            if (isOutermost) {
                inside.remove(Thread.currentThread());
            }
        }
    }

    /**
     * Starts something that may run long, on a thread for itself.
     *
     * @throws RuntimeException what the executor throws if it takes no more, or if it would run it on the caller's thread
     */
    void start(Runnable longPiece) {
        executor.execute(() -> {
            if (isOnOwnThread.getAsBoolean()) {
                throw new IllegalStateException(
                        "the executor runs what it is given on the caller's thread; give one that starts each at once");
            }
            boolean isOutermost = inside.add(Thread.currentThread());
            try {
                longPiece.run();
            } finally {
                if (isOutermost) {
                    inside.remove(Thread.currentThread());
                }
            }
        });
    }
}
