package dev.mandate.http;

import dev.mandate.http.Events.Health;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * All open event streams, served by one thread. A change wakes it once; it makes the bytes once and writes them to all,
 * without waiting for any reader.
 */
final class Streams {
    static final int MOST = 200;
    /** The interval between health events: page and proxies expect one every 5 s. */
    private static final long HEALTH_NANOS = 4_000_000_000L;

    private final Executor dispatcher;
    private final Board board;
    private final Events events;
    private final Supplier<Health> health;
    private final Peers peers;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean isWoken = new AtomicBoolean();

    // Used only by the dispatcher.
    private final Set<Stream> open = new LinkedHashSet<>();
    private boolean wasStale;
    private long healthNanos = System.nanoTime();
    private byte[] healthEvent = new byte[0];

    Streams(Executor dispatcher, Board board, Events events, Supplier<Health> health, Peers peers) {
        this.dispatcher = dispatcher;
        this.board = board;
        this.events = events;
        this.health = health;
        this.peers = peers;
    }

    /** How many are open. */
    int count() {
        return count.get();
    }

    /** Takes one of {@value #MOST} places, for {@link #open} or to return by {@link #leave}; false if none is free. */
    boolean enter() {
        if (count.incrementAndGet() > MOST) {
            count.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Returns the place of a reader that has gone. */
    void leave() {
        count.decrementAndGet();
    }

    /** Serves a reader that entered, until it goes or is too slow. Completing {@code callback} returns its place. */
    void open(Request request, Response response, Callback callback) {
        try {
            dispatcher.execute(() -> begin(request, response, callback));
        } catch (RejectedExecutionException e) {
            callback.failed(e);
        }
    }

    private void begin(Request request, Response response, Callback callback) {
        Stream stream = new Stream(request, response, callback, peers, dispatcher, this::wake);
        try {
            stream.begin(events.snapshotHead(health.get()), events.snapshot(System.nanoTime()));
            open.add(stream);
        } catch (Throwable e) {
            stream.broken(e);
        }
    }

    /** Reports that something has changed. Call it on any thread. */
    void wake() {
        if (isWoken.compareAndSet(false, true)) {
            try {
                dispatcher.execute(this::proceed);
            } catch (RejectedExecutionException e) {
                // The server has stopped.
            } catch (Throwable e) {
                // The caller is out of stack or memory; the next one tries again.
                isWoken.set(false);
                throw e;
            }
        }
    }

    private void proceed() {
        isWoken.set(false);
        open.removeIf(Stream::isEnded);
        each(open, stream -> stream.proceed(events, healthEvent));
    }

    /** Calls {@code what} for each stream, even if some fail. */
    private static void each(Iterable<Stream> streams, Consumer<Stream> what) {
        for (Stream each : streams) {
            try {
                what.accept(each);
            } catch (Throwable e) {
                each.broken(e);
            }
        }
    }

    /** Does what is due by now. The dispatcher calls it often. */
    void tick() {
        long now = System.nanoTime();
        Health current = health.get();
        if (current.stale() != wasStale || now - healthNanos >= HEALTH_NANOS) {
            wasStale = current.stale();
            healthNanos = now;
            healthEvent = Events.health(current);
            open.forEach(Stream::healthIsDue);
            wake();
        }
        events.forget(now);
        board.told(open.stream().mapToLong(Stream::known).min().orElse(Long.MAX_VALUE));
    }

    /** Ends all streams. Call it in the dispatcher. */
    void end() {
        List<Stream> all = new ArrayList<>(open);
        open.clear();
        each(all, Stream::end);
    }
}
