package dev.mandate.peers.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread of a transport: it waits for sockets and timers, and runs tasks of other threads. It sleeps while
 * there is nothing to do; however much other threads ask for meanwhile, they wake it once.
 */
final class SelectorLoop {
    private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How many unknown sockets are served per turn, after the known ones. */
    private static final int OTHERS_MAX = 64;

    /** Handles the events of a socket. */
    interface Ready {
        /** The socket can be read, written, connected or accepted from. */
        void ready(SelectionKey key) throws IOException, FrameException;

        /** Its {@link #ready} threw. */
        void failed(Throwable cause);

        /** Whether it is served before unknown sockets, so that strangers keep nobody waiting. */
        boolean isKnown();
    }

    private final Selector selector;
    private final Thread thread;
    private final Runnable beforeWaiting;
    private final Runnable atEnd;
    private final Timers timers = new Timers();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private volatile boolean isStopped;
    private final AtomicLong turns = new AtomicLong();

    /**
     * A loop that {@link #start} starts.
     *
     * @param beforeWaiting runs in each turn after the tasks, before the wait
     * @param atEnd runs last, before sockets are closed
     * @throws IOException if no selector is available
     */
    SelectorLoop(String name, Runnable beforeWaiting, Runnable atEnd) throws IOException {
        this(Selector.open(), name, beforeWaiting, atEnd);
    }

    /** The same with a selector, which this closes. */
    SelectorLoop(Selector selector, String name, Runnable beforeWaiting, Runnable atEnd) {
        this.selector = selector;
        this.beforeWaiting = beforeWaiting;
        this.atEnd = atEnd;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Whether the caller is on the thread of this loop. */
    boolean isInside() {
        return Thread.currentThread() == thread;
    }

    Timers timers() {
        return timers;
    }

    /** How often it woke up. */
    long turns() {
        return turns.get();
    }

    /** Runs {@code task} soon, unless the loop ends before. Any thread. */
    void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    /** Makes the loop take a turn. Any thread; cheap if it is already woken. */
    void wake() {
        if (!isInside() && isWoken.compareAndSet(false, true)) {
            try {
                selector.wakeup();
            } catch (RuntimeException | Error e) {
                // Let the next one try again.
                isWoken.set(false);
                throw e;
            }
        }
    }

    /** Registers a socket; on the thread of the loop, or before it is started. */
    SelectionKey register(SelectableChannel channel, int operations, Ready ready) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, operations, ready);
    }

    /**
     * Ends the loop. Any thread; idempotent.
     *
     * @param atMost how long to wait for its end; a listener that blocks delays it
     * @return whether it has ended; false on its own thread
     */
    boolean stop(Duration atMost) {
        isStopped = true;
        selector.wakeup();
        if (isInside()) {
            return false;
        }
        boolean isInterrupted = Thread.interrupted();
        long end = System.nanoTime() + atMost.toNanos();
        for (long left = atMost.toNanos(); thread.isAlive() && left > 0; left = end - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, left);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /** Closes the resources of a loop that was never started. */
    void discard() {
        closeAll();
    }

    private void run() {
        try {
            while (!isStopped) {
                turn();
            }
            atEnd.run();
        } finally {
            closeAll();
        }
    }

    private void turn() {
        // Before tasks are polled, so that whatever comes later wakes the next wait; even if the last wait failed.
        isWoken.set(false);
        try {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            beforeWaiting.run();
            await();
            turns.lazySet(turns.get() + 1);
            serve();
            timers.run(System.nanoTime());
        } catch (IOException | RuntimeException | Error e) {
            // Memory or descriptors are short, or there is a bug here: continue later rather than never.
            LockSupport.parkNanos(AFTER_FAILURE_NANOS);
        }
    }

    private void await() throws IOException {
        long nanos = timers.nanosToNext(System.nanoTime());
        if (nanos <= 0 || !tasks.isEmpty()) {
            selector.selectNow();
        } else if (nanos == Long.MAX_VALUE) {
            selector.select();
        } else {
            selector.select(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
        }
    }

    private void serve() {
        if (selector.selectedKeys().isEmpty()) {
            return;
        }
        List<SelectionKey> others = new ArrayList<>();
        for (SelectionKey key : selector.selectedKeys()) {
            if (((Ready) key.attachment()).isKnown()) {
                serve(key);
            } else {
                others.add(key);
            }
        }
        // The next wait reports the rest again, and another one is first then.
        int first = (int) (turns.get() % Math.max(1, others.size()));
        for (int i = 0; i < Math.min(OTHERS_MAX, others.size()); i++) {
            serve(others.get((first + i) % others.size()));
        }
        selector.selectedKeys().clear();
    }

    private static void serve(SelectionKey key) {
        Ready ready = (Ready) key.attachment();
        try {
            if (key.isValid()) {
                ready.ready(key);
            }
        } catch (CancelledKeyException e) {
            // Closed by one that was served before it.
        } catch (IOException | FrameException | RuntimeException | Error e) {
            ready.failed(e);
        }
    }

    private void closeAll() {
        selector.keys().forEach(key -> close(key.channel()));
        close(selector);
    }

    private static void close(Closeable each) {
        try {
            each.close();
        } catch (IOException e) {
            // It is closed, or was never open; the others are still to be closed.
        }
    }
}
