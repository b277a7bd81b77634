package dev.mandate.support;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Limits concurrent calls. The rest queue: urgent first, FIFO within each class. Some places are kept for urgent calls:
 * calls that nobody answers must not delay renewals until they are given up. For a store whose client would open a
 * connection for every call. Thread-safe; nothing blocks.
 */
public final class CallGate {
    private final int underWayMax;
    private final int ordinaryMax;
    private final int waitingMax;

    /** Guards what follows. Nothing is called under it. */
    private final Object lock = new Object();

    private final Deque<Ticket> urgent = new ArrayDeque<>();
    private final Deque<Ticket> ordinary = new ArrayDeque<>();
    private int underWay;
    private int ordinaryUnderWay;
    private boolean isStarting;

    /**
     * A gate with no calls.
     *
     * @param underWayMax how many calls may be under way; positive
     * @param urgentOnly how many of these places ordinary calls never get; not negative, less than {@code underWayMax}
     * @param waitingMax how many may wait; not negative
     */
    public CallGate(int underWayMax, int urgentOnly, int waitingMax) {
        if (urgentOnly < 0 || urgentOnly >= underWayMax) {
            throw new IllegalArgumentException("places that only urgent calls are given is " + urgentOnly
                    + ", must be from 0 to " + (underWayMax - 1) + ", so that the others are given one");
        }
        this.underWayMax = underWayMax;
        this.ordinaryMax = underWayMax - urgentOnly;
        this.waitingMax = waitingMax;
    }

    /** One call's place. */
    public final class Ticket {
        private final Runnable start;
        private final boolean isUrgent;
        private boolean isUnderWay;
        private boolean isOver;

        private Ticket(Runnable start, boolean isUrgent) {
            this.start = start;
            this.isUrgent = isUrgent;
        }

        /**
         * Enters the queue. The call starts at once, on this thread, or later on a thread that ended another call. Call
         * once, and {@link #close()} once the call has ended, however it did.
         *
         * @return false if too many wait already: then it does not start
         */
        public boolean enter() {
            synchronized (lock) {
                if (urgent.size() + ordinary.size() >= waitingMax && !hasPlace()) {
                    isOver = true;
                    return false;
                }
                (isUrgent ? urgent : ordinary).add(this);
            }
            startWaiting();
            return true;
        }

        /** Frees the place. A call that still waits then never starts. Idempotent. */
        public void close() {
            boolean isFreed;
            synchronized (lock) {
                isFreed = isUnderWay;
                leave();
            }
            if (isFreed) {
                startWaiting();
            }
        }

        /** Under the lock. */
        private boolean hasPlace() {
            return underWay < underWayMax && (isUrgent || ordinaryUnderWay < ordinaryMax);
        }

        /** Under the lock. */
        private void take() {
            isUnderWay = true;
            underWay++;
            ordinaryUnderWay += isUrgent ? 0 : 1;
        }

        /** Under the lock. */
        private void leave() {
            if (isUnderWay) {
                underWay--;
                ordinaryUnderWay -= isUrgent ? 0 : 1;
            }
            isUnderWay = false;
            isOver = true;
        }
    }

    /**
     * A place for a call that has not entered yet.
     *
     * @param start begins the call; does not block, and may close the ticket at once. If it throws, the call is over
     */
    public Ticket ticket(Runnable start, boolean isUrgent) {
        return new Ticket(start, isUrgent);
    }

    /** Starts waiting calls; one thread at a time, so that calls that end at once do not nest. */
    private void startWaiting() {
        synchronized (lock) {
            if (isStarting) {
                return;
            }
            isStarting = true;
        }
        for (Ticket next = taken(); next != null; next = taken()) {
            try {
                next.start.run();
            } catch (Throwable e) {
                // It broke its contract, or the JVM is in trouble: that must not keep the gate shut for all others.
                failed(next);
            }
        }
    }

    /** The next call, with its place taken; null if none may start, and then the next arrival checks again. */
    private @Nullable Ticket taken() {
        synchronized (lock) {
            Ticket next = next();
            if (next == null) {
                isStarting = false;
                return null;
            }
            next.take();
            return next;
        }
    }

    private void failed(Ticket ticket) {
        synchronized (lock) {
            ticket.leave();
        }
    }

    private @Nullable Ticket next() {
        Ticket first = first(urgent);
        return first != null ? first : first(ordinary);
    }

    /** Removes and returns the first call that still waits, if there is a place for it. */
    private static @Nullable Ticket first(Deque<Ticket> waiting) {
        while (!waiting.isEmpty() && waiting.peek().isOver) {
            waiting.poll();
        }
        Ticket first = waiting.peek();
        return first != null && first.hasPlace() ? waiting.poll() : null;
    }
}
