package dev.mandate.peers.runtime;

import dev.mandate.peers.node.NodeAction;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.state.StateDirectory;
import dev.mandate.spi.Ration;
import dev.mandate.support.StoreThreads;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a voter's state, on its own thread, which runs only while there is something to write. Of several waiting
 * states, only the newest is written.
 */
final class Disk {
    private static final long CLOSE_SECONDS = 5;
    private static final long IDLE_SECONDS = 5;
    private static final long LINES_APART_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final StateDirectory directory;
    private final String list;
    private final Consumer<NodeEvent> node;
    private final ThreadPoolExecutor thread;
    private final AtomicReference<NodeAction.@Nullable Persist> newest = new AtomicReference<>();
    private volatile boolean closed;

    /** Guarded by itself: not only its own thread fails to write. */
    private final Ration lines = new Ration(LINES_APART_NANOS);

    /**
     * @param list as {@link StateDirectory#save} takes it
     * @param node receives the result of each write; never blocks
     */
    Disk(StateDirectory directory, String list, String name, Consumer<NodeEvent> node) {
        this(directory, list, work -> StoreThreads.daemon(name, work), node);
    }

    /** The same with another way to make its thread. */
    Disk(StateDirectory directory, String list, ThreadFactory threads, Consumer<NodeEvent> node) {
        this.directory = directory;
        this.list = list;
        this.node = node;
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        thread.allowCoreThreadTimeOut(true);
    }

    /** Writes this state soon, unless a newer one comes. Never blocks. */
    void write(NodeAction.Persist persist) {
        if (closed || newest.getAndSet(persist) != null) {
            return;
        }
        try {
            thread.execute(this::writeNewest);
        } catch (RuntimeException | Error e) {
            // No thread could be started, so none takes it from here.
            newest.set(null);
            failed(persist, e);
        }
    }

    private void writeNewest() {
        NodeAction.Persist persist = newest.getAndSet(null);
        if (persist == null) {
            return;
        }
        try {
            directory.save(persist.state(), list);
            node.accept(new NodeEvent.Persisted(persist.sequence()));
        } catch (IOException | RuntimeException | Error e) {
            failed(persist, e);
        }
    }

    private void failed(NodeAction.Persist persist, Throwable e) {
        // Told first: the voter waits.
        node.accept(new NodeEvent.PersistFailed(persist.sequence()));
        if (closed) {
            // Nothing is to be written any more.
            return;
        }
        long times;
        synchronized (lines) {
            times = lines.happened(System.nanoTime());
        }
        if (times > 0) {
            NodeLog.log(
                    System.Logger.Level.ERROR,
                    "the voter''s state cannot be written, {0} times so far: {1}; until it can, this member votes"
                            + " only below its last ceiling",
                    times,
                    e);
        }
    }

    /**
     * Writes nothing more, and lets another process in once no write is running: a late write must not undo one of the
     * next process. Waits for that, a few seconds at most. Call it once.
     */
    void close() {
        closed = true;
        newest.set(null);
        directory.close();
        thread.shutdown();
        boolean interrupted = false;
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        while (true) {
            try {
                thread.awaitTermination(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
