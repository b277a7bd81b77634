package dev.mandate.internal;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of foreign code that may be interrupted from outside, but only while its thread is inside: a pool's thread
 * returns without an interrupt that was meant for its former work.
 */
final class Interruptible {
    private enum State {
        NEW,
        INSIDE,
        INTERRUPTING,
        INTERRUPTED,
        OVER
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private volatile @Nullable Thread thread;

    /** The caller's thread enters; false if it must not, because it was forbidden before. */
    boolean enter() {
        thread = Thread.currentThread();
        if (state.compareAndSet(State.NEW, State.INSIDE)) {
            return true;
        }
        thread = null;
        return false;
    }

    /** No thread may enter any more; false if one is inside, or was. */
    boolean forbid() {
        return state.compareAndSet(State.NEW, State.OVER);
    }

    /** The caller's thread leaves. Waits for an interrupt under way, and clears it. */
    void leave() {
        if (!state.compareAndSet(State.INSIDE, State.OVER)) {
            while (state.get() == State.INTERRUPTING) {
                Thread.onSpinWait();
            }
            state.set(State.OVER);
            Thread.interrupted();
        }
        thread = null;
    }

    /**
     * Interrupts the thread that is inside. Idempotent; any thread.
     *
     * @throws RuntimeException what the thread's own {@code interrupt} throws
     */
    void interrupt() {
        if (!state.compareAndSet(State.INSIDE, State.INTERRUPTING)) {
            return;
        }
        try {
            Thread inside = thread;
            if (inside != null) {
                inside.interrupt();
            }
        } finally {
            state.set(State.INTERRUPTED);
        }
    }

    /** The thread that is inside, if one is. */
    @Nullable
    Thread thread() {
        return thread;
    }
}
