package dev.mandate.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the user's code: tasks, listeners, health checks, completions of stages. It uses the user's executor if there is
 * one, else threads of our own; never a thread that renews or watches, and never under a lock. The executor is the
 * user's code, too, so even handing it something happens on a thread of our own.
 *
 * <p>Tasks and health checks have a thread each. Shorter pieces share threads, so that ten thousand terms that end at
 * once do not start ten thousand threads. A piece that blocks all the same delays others only for a moment: see
 * {@link Lane}. There is one lane for wins, one for ends of terms and one for listeners. Each queue is bounded: one win
 * and one end per term, one piece per listener.
 */
final class Callbacks {
    private final Executor own;
    private final @Nullable Executor users;
    private final Lane wins;
    private final Lane completions;
    private final Lane listeners;
    private final LateStarts late = new LateStarts();
    private final Set<Thread> inside = ConcurrentHashMap.newKeySet();

    /** {@code stranded} is called, on any thread, when there is a new time for a {@link #retry}. */
    Callbacks(Host host, Executor own, @Nullable Executor users, Runnable stranded) {
        this.own = own;
        this.users = users;
        Executor threads = users == null ? own : work -> own.execute(() -> handOver(work));
        this.wins = new Lane(host, own, threads, stranded);
        this.completions = new Lane(host, own, threads, stranded);
        this.listeners = new Lane(host, own, threads, stranded);
    }

    /** What the user's executor has not started yet. */
    LateStarts late() {
        return late;
    }

    /** Whether the caller runs inside user code that was called from here. */
    boolean isInside() {
        return inside.contains(Thread.currentThread());
    }

    /**
     * Announces a win to code that may do its work on the spot; no other piece waits for that. Never blocks.
     *
     * @return false if no thread is available, so that another candidate had better lead
     */
    boolean hand(Runnable piece) {
        return wins.run(() -> inside(piece));
    }

    /** Completes something soon; the piece handles what its user code throws. Never blocks. */
    void run(Runnable piece) {
        completions.run(() -> inside(piece));
    }

    /** As {@link #run}, for listeners' calls: they delay no completion. */
    void tell(Runnable piece) {
        listeners.run(() -> inside(piece));
    }

    /** When {@link #retry} has something to do; {@link Long#MAX_VALUE} if nothing waits for it. */
    long retryAtNanos() {
        return Math.min(wins.retryAtNanos(), Math.min(completions.retryAtNanos(), listeners.retryAtNanos()));
    }

    /** Tries again what failed for want of a thread, if it is time. On the loop. */
    void retry(long nowNanos) {
        wins.retry(nowNanos);
        completions.retry(nowNanos);
        listeners.retry(nowNanos);
    }

    /** Runs, on the caller's thread, what still waits for one: an unannounced end would be worse. May block. */
    void finish() {
        wins.finish();
        completions.finish();
        listeners.finish();
    }

    /** Runs {@code work} here if the executor refuses it: an unannounced end would be worse than foreign code here. */
    private void handOver(Runnable work) {
        Runnable piece = work;
        try {
            Executor executor = users;
            if (executor != null) {
                piece = late.watched(work);
                executor.execute(piece);
                return;
            }
        } catch (RuntimeException | Error e) {
            // The executor takes no more: run it below.
        }
        piece.run();
    }

    private void inside(Runnable piece) {
        boolean isOutermost = false;
        try {
            isOutermost = inside.add(Thread.currentThread());
        } catch (RuntimeException | Error e) {
            // Memory is short. A close from inside may wait for itself for a while; not to run it would be worse.
        }
        try {
            piece.run();
        } catch (RuntimeException | Error e) {
            // Every piece handles its own failures; one that escapes must not take the thread from the next piece.
        } finally {
            if (isOutermost) {
                inside.remove(Thread.currentThread());
            }
        }
    }

    /**
     * Starts something that may run long, on its own thread. Never blocks, never throws.
     *
     * @param refused called, on any thread, if it could not be started
     */
    void start(Runnable longPiece, Consumer<Throwable> refused) {
        start(longPiece, () -> {}, refused);
    }

    /**
     * As {@link #start(Runnable, Consumer)}.
     *
     * @param taken called, on any thread, once the executor has accepted the piece, which it may run later or never
     */
    void start(Runnable longPiece, Runnable taken, Consumer<Throwable> refused) {
        Runnable piece = () -> inside(longPiece);
        Executor executor = users;
        try {
            own.execute(
                    executor == null
                            ? piece
                            : () -> {
                                Runnable watched = null;
                                try {
                                    watched = late.watched(piece);
                                    executor.execute(watched);
                                } catch (RuntimeException | Error e) {
                                    if (watched != null) {
                                        late.refused(watched);
                                    }
                                    refused.accept(e);
                                    return;
                                }
                                taken.run();
                            });
        } catch (RuntimeException | Error e) {
            refused.accept(e);
            return;
        }
        if (executor == null) {
            taken.run();
        }
    }

    /**
     * Interrupts the thread that is inside. If none has entered yet, none may any more. Interrupting a thread that
     * waits in a channel closes the channel, which is foreign code and may block. So a thread of our own does it; the
     * caller's does only if it is the one inside, or if no other is available.
     *
     * @param failed called, on any thread, with what the interrupt threw
     * @return whether no thread has entered, and so none ever will
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
