package dev.mandate.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is the user's to run: tasks, listeners, health checks, completions of stages. It runs on the user's executor if there is
 * one, else on threads of our own; never on a thread that renews or watches, and never under a lock. The executor itself is the user's, too:
 * even handing something to it happens on a thread of our own.
 *
 * <p>Tasks and health checks have a thread each. Shorter pieces share some, so that ten thousand terms that end at once do not start as many
 * threads; those that block all the same keep others waiting for a moment only: see {@link Lane}. There is a lane for terms that are won, one for
 * ends, and one for listeners. What waits in them is bounded by what it is about: one win and one end per term, one piece per listener.
 */
final class Callbacks {
    private final Executor own;
    private final @Nullable Executor users;
    private final Lane wins;
    private final Lane completions;
    private final Lane listeners;
    private final Set<Thread> inside = ConcurrentHashMap.newKeySet();

    Callbacks(Host host, Executor own, @Nullable Executor users) {
        this.own = own;
        this.users = users;
        Executor threads = users == null ? own : work -> own.execute(() -> handOver(work));
        this.wins = new Lane(host, own, threads);
        this.completions = new Lane(host, own, threads);
        this.listeners = new Lane(host, own, threads);
    }

    /** Whether the caller is inside foreign code that was called from here. */
    boolean isInside() {
        return inside.contains(Thread.currentThread());
    }

    /**
     * Hands over a term that was won, to somebody who may do its work on the spot: that keeps no other piece waiting. Never blocks.
     *
     * @return false if there is no thread to be had, so that somebody else had better lead
     */
    boolean hand(Runnable piece) {
        return wins.run(() -> inside(piece));
    }

    /** Completes something soon; the piece takes care of what its foreign code throws. Never blocks. */
    void run(Runnable piece) {
        completions.run(() -> inside(piece));
    }

    /** As {@link #run}, for the calls of listeners: they keep no completion waiting. */
    void tell(Runnable piece) {
        listeners.run(() -> inside(piece));
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
        start(longPiece, () -> {}, refused);
    }

    /**
     * As {@link #start(Runnable, Consumer)}.
     *
     * @param taken called, on any thread, when the executor has taken the piece, which it may run later, or never
     */
    void start(Runnable longPiece, Runnable taken, Consumer<Throwable> refused) {
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
                                    return;
                                }
                                taken.run();
                            });
            if (executor == null) {
                taken.run();
            }
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
