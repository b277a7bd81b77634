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

/** The data of one name's {@code memory:} stores: a {@link ModelStore} and one daemon thread. Thread-safe. */
public final class MemoryServer implements MemoryNetwork.Destination {
    /** The only state that a JVM shares: that is what a name is for. An entry exists exactly while somebody uses it. */
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

    /** The data of that name, created if nobody uses it yet; new data without a name. Call {@link #leave} once. */
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
     * Creates the data at its first connection; later ones must ask for the same.
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

    /** Runs an operation and tells watchers what it changed. */
    @Override
    public <T> T run(MemoryNetwork.Operation<T> operation) {
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

    /** Whether a client was ever here, so that there is data. */
    public boolean isBegun() {
        synchronized (lock) {
            return model != null;
        }
    }

    /** As an operator, ends the lease of the record at {@code key}; see {@link ModelStore#endLease}. */
    public boolean endLease(RecordKey key) {
        return isBegun() && run((store, now, wall) -> store.endLease(key, now));
    }

    /** As an operator, removes the record at {@code key}; whether there was one. */
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

    /** As another program, overwrites {@code key} with a record that never expires. */
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

    /** Schedules a wake-up for the next expiry, so that watchers hear of it. Called under the lock. */
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
