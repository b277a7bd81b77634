package dev.mandate.internal;

import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A machine whose time passes when a test says so. Loop, watchdog and workers take their turns on the test's own
 * thread, in a fixed order, so that a run is the same every time; any of them can be stalled. Users' threads may be
 * real ones: what they wait for is virtual time.
 */
final class VirtualHost implements Host {
    private static final String USER = "user";

    private final Thread pump = Thread.currentThread();
    private final List<Driven> driven = new ArrayList<>();
    private final PriorityQueue<Later> later = new PriorityQueue<>();
    private final Queue<Runnable> work = new ArrayDeque<>();
    final List<Integer> halts = new ArrayList<>();
    /** Called when the clocks are read. */
    volatile Runnable onRead = () -> {};

    /** Called when the monotonic clock alone is read. */
    volatile Runnable onNanos = () -> {};

    /** Called when the clocks have been read, with the name of the thread that read them, or "" outside of turns. */
    volatile Consumer<String> afterRead = name -> {};

    private long nanos = 5_000_000_000L;
    private long wallMillis = 1_700_000_000_000L;
    private long suspendedNanos;
    private long order;
    private Driven current;
    private boolean usesRealThreads;
    private boolean isQuick;
    private int threadsRefused;
    private final AtomicInteger running = new AtomicInteger();
    /** Real threads that run, or wait. */
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    /** Those that did not come to rest in a second: they wait for something that looks like work. */
    private final Set<Thread> restless = ConcurrentHashMap.newKeySet();

    private record Later(long atNanos, long order, Runnable what) implements Comparable<Later> {
        @Override
        public int compareTo(Later other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** Whoever's name begins so has its turn as soon as somebody else's turn wakes it, in the midst of that one. */
    volatile String preempts = "nobody";

    private final class Driven implements Drive {
        private final String name;
        private final Step step;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private long atNanos;
        private boolean stalled;

        Driven(String name, Step step) {
            this.name = name;
            this.step = step;
            this.atNanos = nanos;
        }

        @Override
        public void wake() {
            synchronized (VirtualHost.this) {
                atNanos = Math.min(atNanos, nanos);
                VirtualHost.this.notifyAll();
            }
            Driven interrupted = current;
            boolean isInTurn = interrupted != null && interrupted != this && Thread.currentThread() == pump;
            if (isInTurn && name.startsWith(preempts)) {
                atNanos = Long.MAX_VALUE;
                turn(this);
                current = interrupted;
            }
        }

        @Override
        public boolean isCurrent() {
            return current == this && Thread.currentThread() == pump;
        }

        @Override
        public void interrupt() {
            // Turns of a virtual host do not hang.
        }

        @Override
        public CompletableFuture<Void> ended() {
            return ended;
        }
    }

    // ---- what a client takes from it ----

    @Override
    public synchronized Now now() {
        onRead.run();
        long boot = (nanos + suspendedNanos) / LeaseWindow.BOOT_COARSE_NANOS * LeaseWindow.BOOT_COARSE_NANOS;
        Now read = new Now(nanos, boot, wallMillis + (nanos + suspendedNanos) / 1_000_000);
        afterRead.accept(current == null ? "" : current.name);
        return read;
    }

    @Override
    public synchronized long nanos() {
        onNanos.run();
        return nanos;
    }

    @Override
    public synchronized Drive drive(String name, Step step) {
        Driven added = new Driven(name, step);
        driven.add(added);
        return added;
    }

    @Override
    public boolean await(CompletableFuture<?> done, long untilNanos) throws InterruptedException {
        if (Thread.currentThread() != pump) {
            awaitAsUser(done, untilNanos);
        } else if (current == null) {
            while (!done.isDone() && nanos() < untilNanos) {
                settle();
                if (!done.isDone()) {
                    passTo(Math.min(untilNanos, nextNanos()));
                }
            }
        }
        return done.isDone();
    }

    private void awaitAsUser(CompletableFuture<?> done, long untilNanos) throws InterruptedException {
        CompletionStage<?> stage = done;
        stage.whenComplete((value, failure) -> {
            synchronized (this) {
                notifyAll();
            }
        });
        boolean isStarted = Thread.currentThread().getName().equals(USER);
        running.addAndGet(isStarted ? -1 : 0);
        try {
            synchronized (this) {
                while (!done.isDone() && nanos < untilNanos) {
                    wait();
                }
            }
        } finally {
            running.addAndGet(isStarted ? 1 : 0);
        }
    }

    @Override
    public Workers workers(String name) {
        return new Workers() {
            private final CompletableFuture<Void> terminated = CompletableFuture.completedFuture(null);

            @Override
            public void execute(Runnable piece) {
                synchronized (VirtualHost.this) {
                    if (threadsRefused > 0) {
                        threadsRefused--;
                        throw new InternalError("simulated: no thread to be had");
                    }
                    if (usesRealThreads) {
                        start(piece);
                        return;
                    }
                    if (!isQuick) {
                        work.add(piece);
                        return;
                    }
                }
                piece.run();
            }

            @Override
            public void shutdown() {}

            @Override
            public CompletableFuture<Void> terminated() {
                return terminated;
            }
        };
    }

    @Override
    public synchronized void halt(int status) {
        // After the first nothing would run.
        if (halts.isEmpty()) {
            halts.add(status);
        }
    }

    // ---- what a test does ----

    /** From now on users' code has real threads; a test then waits for what it does. */
    synchronized void useRealThreads() {
        usesRealThreads = true;
    }

    /** That many requests for a thread fail. */
    synchronized void refuseThreads(int count) {
        threadsRefused = count;
    }

    /** From now on users' code runs as soon as it can: before whoever handed it over goes on. */
    synchronized void beQuick() {
        isQuick = true;
    }

    private void start(Runnable piece) {
        running.incrementAndGet();
        Thread thread = new Thread(
                () -> {
                    try {
                        piece.run();
                    } finally {
                        running.decrementAndGet();
                        threads.remove(Thread.currentThread());
                    }
                },
                USER);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** How many pieces of work are on real threads now, and do not wait for virtual time. */
    int running() {
        return running.get();
    }

    /** The loop, or the watchdog, of every client gets no turn until {@link #resume}. */
    synchronized void stall(String nameBegins) {
        driven.stream().filter(d -> d.name.startsWith(nameBegins)).forEach(d -> d.stalled = true);
    }

    synchronized void resume() {
        driven.forEach(d -> d.stalled = false);
    }

    /** Has something done at a time. */
    synchronized void at(long atNanos, Runnable what) {
        later.add(new Later(atNanos, order++, what));
    }

    /** Whoever has the turn is held up. */
    synchronized void holdUp(Duration howLong) {
        nanos += howLong.toNanos();
    }

    /** The machine sleeps: the monotonic clock stands still, the others go on. */
    synchronized void suspend(Duration howLong) {
        suspendedNanos += howLong.toNanos();
    }

    /** The wall clock is set. */
    synchronized void stepWall(Duration by) {
        wallMillis += by.toMillis();
    }

    /** Lets everything happen that is due now. */
    void settle() {
        while (true) {
            Runnable next = next();
            if (next == null) {
                return;
            }
            next.run();
        }
    }

    private synchronized Runnable next() {
        if (!later.isEmpty() && later.peek().atNanos <= nanos) {
            return later.poll().what;
        }
        if (!work.isEmpty()) {
            return work.poll();
        }
        for (Driven each : driven) {
            if (!each.stalled && each.atNanos <= nanos) {
                each.atNanos = Long.MAX_VALUE;
                return () -> turn(each);
            }
        }
        return null;
    }

    private void turn(Driven each) {
        current = each;
        long at;
        try {
            at = each.step.step();
        } finally {
            current = null;
        }
        synchronized (this) {
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

    /** Lets time pass, and everything happen that is due meanwhile. What real threads do takes no time. */
    void advance(Duration howLong) {
        long until = nanos() + howLong.toNanos();
        settleAll();
        while (nanos() < until) {
            passTo(Math.min(until, nextNanos()));
            settleAll();
        }
    }

    private void settleAll() {
        do {
            settle();
        } while (threads.stream().filter(this::comesToRest).count() > 0);
    }

    /** Waits until a real thread waits, or has ended; false if it did already, or never does. */
    private boolean comesToRest(Thread thread) {
        long until = System.nanoTime() + 1_000_000_000L;
        boolean worked = false;
        while (isWorking(thread) && !restless.contains(thread)) {
            worked = true;
            Thread.onSpinWait();
            if (System.nanoTime() > until) {
                restless.add(thread);
            }
        }
        return worked;
    }

    private static boolean isWorking(Thread thread) {
        return switch (thread.getState()) {
            case NEW, RUNNABLE, BLOCKED -> true;
            case WAITING, TIMED_WAITING, TERMINATED -> false;
        };
    }

    private synchronized void passTo(long atNanos) {
        if (atNanos == Long.MAX_VALUE) {
            throw new AssertionError("nothing will ever happen");
        }
        nanos = Math.max(nanos, atNanos);
        notifyAll();
    }

    private synchronized long nextNanos() {
        long next = later.isEmpty() ? Long.MAX_VALUE : later.peek().atNanos;
        for (Driven each : driven) {
            next = each.stalled ? next : Math.min(next, each.atNanos);
        }
        return next;
    }
}
