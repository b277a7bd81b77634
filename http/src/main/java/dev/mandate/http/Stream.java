package dev.mandate.http;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * One open event stream. It remembers only up to which change its reader knows all: while a write is under way nothing
 * is queued. Used by one thread.
 */
final class Stream {
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final Peers peers;
    private final Executor dispatcher;
    private final Runnable onProgress;

    /** What is being written. */
    private final Deque<ByteBuffer> writing = new ArrayDeque<>(2);

    private boolean isBusy;
    private boolean isEnded;
    private boolean isHealthDue;
    private long known;
    /** What was gone by this change was not in the snapshot. */
    private long begunAt;

    /** @param onProgress called in {@code dispatcher} after a write, and at the end */
    Stream(
            Request request,
            Response response,
            Callback callback,
            Peers peers,
            Executor dispatcher,
            Runnable onProgress) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.peers = peers;
        this.dispatcher = dispatcher;
        this.onProgress = onProgress;
    }

    /** Its reader knows all up to this change, or is being sent it. */
    long known() {
        return known;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** Makes it send a health event next. */
    void healthIsDue() {
        isHealthDue = true;
    }

    /** Writes a snapshot. */
    void begin(byte[] head, Events.Batch rest) {
        known = rest.upTo();
        begunAt = rest.madeAt();
        write(head, rest.bytes());
    }

    /** Writes what is next unless a write is under way. Fails if removals that its reader missed are forgotten. */
    void proceed(Events events, byte @Nullable [] health) {
        if (isBusy || isEnded) {
            return;
        }
        if (isHealthDue && health != null) {
            isHealthDue = false;
            write(health);
            return;
        }
        Events.Batch next = events.after(known);
        // Asked only now: what was forgotten meanwhile may be missing in the batch.
        if (events.forgotten() > Math.max(known, begunAt)) {
            fail(new EOFException("the client read too slowly and missed changes; it has to reconnect"));
            return;
        }
        if (next != null) {
            known = next.upTo();
            if (!next.isEmpty()) {
                write(next.bytes());
            }
        }
    }

    private void write(byte[]... all) {
        for (byte[] each : all) {
            writing.addLast(ByteBuffer.wrap(each));
        }
        isBusy = true;
        next();
    }

    private void next() {
        ByteBuffer next = writing.pollFirst();
        if (next == null) {
            isBusy = false;
            onProgress.run();
            return;
        }
        peers.waits(request.getConnectionMetaData().getConnection());
        response.write(false, next, Callback.from(() -> soon(this::wrote), why -> soon(() -> fail(why))));
    }

    private void wrote() {
        peers.wrote(request.getConnectionMetaData().getConnection());
        if (!isEnded) {
            next();
        }
    }

    /** Runs {@code next} in the dispatcher. Call it on any thread. */
    private void soon(Runnable next) {
        try {
            dispatcher.execute(() -> {
                try {
                    next.run();
                } catch (Throwable e) {
                    broken(e);
                }
            });
        } catch (RejectedExecutionException e) {
            // The server is stopping.
            callback.failed(e);
        }
    }

    /** Ends it after an error in this program. */
    void broken(Throwable why) {
        Worker.warn("an event stream failed", why);
        fail(why);
    }

    /** Ends it because its reader has gone or is too slow. */
    void fail(Throwable why) {
        if (!isEnded) {
            isEnded = true;
            writing.clear();
            callback.failed(why);
            onProgress.run();
        }
    }

    /** Ends it; its reader may come back. */
    void end() {
        if (isEnded) {
            return;
        }
        if (isBusy) {
            fail(new EOFException("the server stops"));
            return;
        }
        response.write(true, ByteBuffer.allocate(0), callback);
        isEnded = true;
    }
}
