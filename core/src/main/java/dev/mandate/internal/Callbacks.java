package dev.mandate.internal;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is the user's to run: tasks, listeners, health checks, completions of stages. It runs on the user's executor if there is
 * one, else on threads of our own; never on a thread that renews or watches, and never under a lock. The executor itself is the user's, too:
 * even handing something to it happens on a thread of our own.
 *
 * <p>Short pieces share at most {@value #AT_ONCE_MAX} threads, so that ten thousand terms that end at once do not start as many; a piece
 * that blocks takes one of them. Listeners have as many of their own: however they block, the end of a term is told. What waits is bounded by what it is about: one end per term, one piece per listener.
 */
final class Callbacks {
    private static final int AT_ONCE_MAX = 16;

    private final Executor own;
    private final @Nullable Executor users;
    private final Lane completions = new Lane();
    private final Lane listeners = new Lane();
    private final Set<Thread> inside = ConcurrentHashMap.newKeySet();

    Callbacks(Executor own, @Nullable Executor users) {
        this.own = own;
        this.users = users;
    }

    /** Whether the caller is inside foreign code that was called from here. */
    boolean isInside() {
        return inside.contains(Thread.currentThread());
    }

    /** Completes something soon; the piece takes care of what its foreign code throws. Never blocks. */
    void run(Runnable piece) {
        completions.run(piece);
    }

    /** As {@link #run}, for the calls of listeners: they keep no completion waiting. */
    void tell(Runnable piece) {
        listeners.run(piece);
    }

    /** Short pieces that share some threads. */
    private final class Lane {
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger atOnce = new AtomicInteger();

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
                own.execute(users == null ? this::work : () -> handOver(this::work));
            } catch (RuntimeException | Error e) {
                // No thread to be had: what waits is run with the next piece.
                atOnce.decrementAndGet();
            }
        }

        private void work() {
            while (true) {
                Runnable piece = waiting.poll();
                if (piece != null) {
                    inside(piece);
                    continue;
                }
                atOnce.decrementAndGet();
                if (waiting.isEmpty() || !claim()) {
                    return;
                }
            }
        }
    }

    /** An end that nobody is told of would be worse than a foreign call on a thread of ours. */
    private void handOver(Runnable work) {
        try {
            Executor executor = users;
            if (executor != null) {
                executor.execute(work);
                return;
            }
        } catch (RuntimeException | Error e) {
            // It takes no more: below.
        }
        work.run();
    }

    private void inside(Runnable piece) {
        boolean isOutermost = inside.add(Thread.currentThread());
        try {
            piece.run();
        } catch (RuntimeException | Error e) {
            // Every piece takes care of its own; what comes this far must not take the thread from the next one.
        } finally {
            if (isOutermost) {
                inside.remove(Thread.currentThread());
            }
        }
    }

    /**
     * Starts something that may run long, on a thread for itself. Never blocks, never throws.
     *
     * @param refused told, on any thread, if it could not be started
     */
    void start(Runnable longPiece, Consumer<Throwable> refused) {
        Runnable piece = () -> inside(longPiece);
        Executor executor = users;
        try {
            own.execute(
                    executor == null
                            ? piece
                            : () -> {
                                try {
                                    executor.execute(piece);
                                } catch (RuntimeException | Error e) {
                                    refused.accept(e);
                                }
                            });
        } catch (RuntimeException | Error e) {
            refused.accept(e);
        }
    }

    /**
     * Interrupts who is inside, if somebody is; if nobody has come yet, nobody may. To interrupt a thread that waits in a channel closes that
     * channel, which is foreign code and may block: it happens on a thread of our own, and on the caller's only if that is the one inside, or
     * there is no other to be had.
     *
     * @param failed told, on any thread, what the interrupt threw
     * @return whether nobody has come, and so nobody ever will
     */
    boolean interrupt(Interruptible inside, Consumer<Throwable> failed) {
        if (inside.forbid()) {
            return true;
        }
        Runnable interrupt = () -> {
            try {
                inside.interrupt();
            } catch (RuntimeException | Error e) {
                failed.accept(e);
            }
        };
        if (inside.thread() == Thread.currentThread()) {
            interrupt.run();
            return false;
        }
        try {
            own.execute(interrupt);
        } catch (RuntimeException | Error e) {
            interrupt.run();
        }
        return false;
    }
}
