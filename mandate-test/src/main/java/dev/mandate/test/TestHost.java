package dev.mandate.test;

import dev.mandate.engine.Now;
import dev.mandate.internal.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine whose time passes only when a test says so. Turns of the loop and the watchdog run on the thread that makes
 * them due, in a fixed order and one at a time; users' code has threads of its own.
 */
final class TestHost implements Host {
    private static final long FIRST_NANOS = 1_000_000_000_000L;
    private static final long FIRST_WALL_MILLIS = 1_767_225_600_000L;

    /** A longer wait has no bound that a test would want to see. */
    private static final long BOUNDED_NANOS = Duration.ofDays(1).toNanos();

    private final UserThreads threads = new UserThreads(this::nanos);

    /** Held by whoever lets time pass. */
    private final ReentrantLock passing = new ReentrantLock();

    /** Guards what follows; nothing foreign runs under it. */
    private final Object lock = new Object();

    private final List<Turns> driven = new ArrayList<>();
    private volatile long nanos = FIRST_NANOS;
    private @Nullable Turns current;

    /** The thread that runs turns now. */
    private volatile @Nullable Thread pump;

    /** The test's thread: time passes while it waits for something, up to that bound. */
    private volatile Thread owner = Thread.currentThread();

    private final class Turns implements Drive {
        private final Step step;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private long atNanos = nanos;

        Turns(Step step) {
            this.step = step;
        }

        @Override
        public void wake() {
            synchronized (lock) {
                atNanos = Math.min(atNanos, nanos);
            }
            runDue();
            settleForOwner();
        }

        @Override
        public boolean isCurrent() {
            synchronized (lock) {
                return current == this && pump == Thread.currentThread();
            }
        }

        @Override
        public void interrupt() {
            // The store of a test never blocks, so no turn hangs.
        }

        @Override
        public CompletableFuture<Void> ended() {
            return ended;
        }
    }

    // ---- what a client takes from it ----

    @Override
    public Now now() {
        long read = nanos;
        return new Now(read, read, wallMillis(read));
    }

    long wallMillis() {
        return wallMillis(nanos);
    }

    private static long wallMillis(long nanos) {
        return FIRST_WALL_MILLIS + (nanos - FIRST_NANOS) / 1_000_000;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public Drive drive(String name, Step step) {
        Turns added = new Turns(step);
        synchronized (lock) {
            driven.add(added);
        }
        return added;
    }

    @Override
    public Workers workers(String name) {
        return new Workers() {
            @Override
            public void execute(Runnable piece) {
                threads.start(name, piece);
            }

            @Override
            public void shutdown() {
                // Every thread ends with its piece.
            }

            @Override
            public CompletableFuture<Void> terminated() {
                return CompletableFuture.completedFuture(null);
            }
        };
    }

    @Override
    public void halt(int status) {
        throw new AssertionError("this client would halt the JVM now, with status " + status);
    }

    @Override
    public boolean await(CompletableFuture<?> done, long untilNanos) throws InterruptedException {
        boolean isBounded = untilNanos - nanos < BOUNDED_NANOS;
        if (Thread.currentThread() == owner && isBounded && untilNanos != Long.MAX_VALUE) {
            passUntil(untilNanos, () -> done.isDone() || Thread.currentThread().isInterrupted());
            if (!done.isDone() && Thread.interrupted()) {
                throw new InterruptedException();
            }
            return done.isDone();
        }
        CompletionStage<?> stage = done;
        stage.whenComplete((value, failure) -> changed());
        try (UserThreads.Waiting waiting = threads.waits(done, untilNanos)) {
            synchronized (lock) {
                while (!waiting.isOver()) {
                    lock.wait();
                }
            }
        }
        return done.isDone();
    }

    private void changed() {
        synchronized (lock) {
            lock.notifyAll();
        }
    }

    // ---- what a test does ----

    /** The calling thread is the test's. */
    void own() {
        owner = Thread.currentThread();
    }

    /** Lets time pass, and everything happen that is due meanwhile. */
    void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("advance by " + by + "; time does not go back");
        }
        passUntil(nanos + by.toNanos(), () -> false);
    }

    /** Lets time pass up to then, but no longer than until {@code isDone}. */
    void passUntil(long untilNanos, BooleanSupplier isDone) {
        passing.lock();
        try {
            settle();
            while (!isDone.getAsBoolean() && nanos < untilNanos) {
                synchronized (lock) {
                    nanos = Math.max(nanos, Math.min(untilNanos, nextNanos()));
                    lock.notifyAll();
                }
                settle();
            }
            threads.pause();
            settle();
        } finally {
            passing.unlock();
        }
    }

    private long nextNanos() {
        long next = Long.MAX_VALUE;
        for (Turns each : driven) {
            next = Math.min(next, each.atNanos);
        }
        return next;
    }

    /** Lets everything happen that is due now, users' code included. */
    private void settle() {
        do {
            runDue();
            awaitOthersTurns();
        } while (threads.comeToRest() || isDue());
    }

    /** What the test's own calls cause has happened when they return. */
    private void settleForOwner() {
        boolean isOwner = Thread.currentThread() == owner;
        if (isOwner && pump != Thread.currentThread() && !passing.isHeldByCurrentThread()) {
            settle();
        }
    }

    private boolean isDue() {
        synchronized (lock) {
            return pump == null && due() != null;
        }
    }

    private void awaitOthersTurns() {
        boolean isInterrupted = false;
        synchronized (lock) {
            while (pump != null && pump != Thread.currentThread()) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- turns ----

    /** Runs the turns that are due, unless a thread does so already: then that one runs these, too. */
    private void runDue() {
        synchronized (lock) {
            if (pump != null) {
                return;
            }
            pump = Thread.currentThread();
        }
        boolean isOver = false;
        try {
            while (!isOver) {
                Turns next = begin();
                isOver = next == null;
                if (next != null) {
                    turn(next);
                }
            }
        } finally {
            if (!isOver) {
                endTurns();
            }
        }
    }

    /** The next turn; without one, turns are over in the same instant, so that none is missed. */
    private @Nullable Turns begin() {
        synchronized (lock) {
            Turns next = due();
            if (next == null) {
                endTurns();
            } else {
                next.atNanos = Long.MAX_VALUE;
                current = next;
            }
            return next;
        }
    }

    private void endTurns() {
        synchronized (lock) {
            current = null;
            pump = null;
            lock.notifyAll();
        }
    }

    private @Nullable Turns due() {
        for (Turns each : driven) {
            if (each.atNanos <= nanos) {
                return each;
            }
        }
        return null;
    }

    private void turn(Turns each) {
        long at = each.step.step();
        synchronized (lock) {
            current = null;
            if (at == Step.DONE) {
                driven.remove(each);
            } else {
                each.atNanos = Math.min(each.atNanos, at);
            }
        }
        if (at == Step.DONE) {
            each.ended.complete(null);
        }
    }
}
