package dev.mandate.internal.memory;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The data behind the {@code memory:} stores of one name: a {@link ModelStore} on the real clock, and one daemon
 * thread. Safe for use from many threads.
 */
public final class MemoryServer {
    /**
     * The one thing in Mandate that a whole JVM shares: that is what a name is for. An entry is there exactly while
     * somebody uses it.
     */
    private static final Map<String, MemoryServer> BY_NAME = new HashMap<>();

    private final String name;
    private final long originNanos = System.nanoTime();
    private final ScheduledThreadPoolExecutor thread;
    private final MemoryNetwork network;

    /** Guards everything below. Nothing foreign runs under it. */
    private final Object lock = new Object();

    private @Nullable ModelStore model;
    private @Nullable MemorySettings settings;
    private @Nullable Future<?> wakeUp;
    private long wakeUpAtNanos = Long.MAX_VALUE;

    /** Guarded by {@link #BY_NAME}. */
    private int users;

    private MemoryServer(String name) {
        this.name = name;
        this.thread = new ScheduledThreadPoolExecutor(
                1,
                work -> {
                    Thread made = new Thread(work, "mandate-memory-" + name);
                    made.setDaemon(true);
                    return made;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setKeepAliveTime(1, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        this.network = new MemoryNetwork(this, thread);
    }

    /** The data of that name, made if nobody uses it yet; a new one if the name is empty. To be left once. */
    public static MemoryServer enter(String name) {
        synchronized (BY_NAME) {
            MemoryServer server =
                    name.isEmpty() ? new MemoryServer(name) : BY_NAME.computeIfAbsent(name, MemoryServer::new);
            server.users++;
            return server;
        }
    }

    /** Leaves; the last one to leave ends the data. */
    public void leave() {
        synchronized (BY_NAME) {
            if (--users > 0) {
                return;
            }
            BY_NAME.remove(name, this);
        }
        thread.shutdown();
    }

    /**
     * Makes the data at its first connection; later ones must want the same.
     *
     * @throws IllegalArgumentException that names the parameter that differs
     */
    void begin(MemorySettings wanted) {
        synchronized (lock) {
            MemorySettings first = settings;
            if (first == null) {
                settings = wanted;
                model = new ModelStore(wanted.traits(), wanted.options());
            } else {
                wanted.requireSame(first);
            }
        }
    }

    /** What lies between the data and its clients, and can fail. */
    public MemoryNetwork network() {
        return network;
    }

    /** One operation on the data; {@code wallMillis} is the server's wall clock. */
    interface Operation<T> {
        T run(ModelStore store, long nowNanos, long wallMillis);
    }

    /** Runs an operation and tells watchers what it changed. */
    <T> T run(Operation<T> operation) {
        T result;
        List<Observation> news = new ArrayList<>();
        synchronized (lock) {
            result = operation.run(model(), nowNanos(), System.currentTimeMillis());
            if (result instanceof WriteOutcome.Written written) {
                news.add(written.now());
            }
            news.addAll(model().expire(nowNanos()));
            planWakeUp();
        }
        network.tell(news);
        return result;
    }

    /** Whether a client was ever here, so that there is data to work on. */
    public boolean isBegun() {
        synchronized (lock) {
            return model != null;
        }
    }

    /** An operator ends the lease of what stands at {@code key}; see {@link ModelStore#endLease}. */
    public boolean endLease(RecordKey key) {
        return isBegun() && run((store, now, wall) -> store.endLease(key, now));
    }

    /** An operator removes what stands at {@code key}. */
    public boolean delete(RecordKey key) {
        if (!isBegun()) {
            return false;
        }
        boolean[] deleted = new boolean[1];
        run((store, now, wall) -> {
            deleted[0] = store.delete(key, now);
            return WriteOutcome.written(store.read(key, now));
        });
        return deleted[0];
    }

    /** Another program writes over what stands at {@code key}, for ever. */
    public void overwrite(RecordKey key, String shown) {
        run((store, now, wall) -> WriteOutcome.written(store.overwriteForeign(key, shown, null, now)));
    }

    private ModelStore model() {
        ModelStore begun = model;
        if (begun == null) {
            throw new IllegalStateException("no client of " + this + " was opened yet; open one first");
        }
        return begun;
    }

    private long nowNanos() {
        return System.nanoTime() - originNanos;
    }

    /** Arranges to wake up at the next expiry, so that watchers hear of it. Called under the lock. */
    private void planWakeUp() {
        long next = model().nextExpiryNanos();
        if (next == wakeUpAtNanos) {
            return;
        }
        if (wakeUp != null) {
            wakeUp.cancel(false);
        }
        wakeUpAtNanos = next;
        wakeUp = next == Long.MAX_VALUE
                ? null
                : thread.schedule(this::wakeUp, Math.max(0, next - nowNanos()), TimeUnit.NANOSECONDS);
    }

    private void wakeUp() {
        synchronized (lock) {
            wakeUpAtNanos = Long.MAX_VALUE;
        }
        run((store, now, wall) -> true);
    }

    @Override
    public String toString() {
        return "memory:" + name;
    }
}
