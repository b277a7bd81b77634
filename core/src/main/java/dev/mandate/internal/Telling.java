package dev.mandate.internal;

import dev.mandate.spi.Durations;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one listener: one at a time, each about the newest state, and none after the end. However often the
 * state changes during a call, one more call follows. Any thread.
 */
final class Telling {
    private final ClientContext client;
    private final Runnable call;

    /** Guards everything below; nothing foreign runs under it. */
    private final Object lock = new Object();

    private boolean hasNews;
    private boolean isCalling;
    private boolean isClosed;
    private @Nullable Thread caller;
    private CompletableFuture<Void> returned = CompletableFuture.completedFuture(null);

    /**
     * Nothing to tell yet.
     *
     * @param call tells the listener the news; what it throws is logged
     */
    Telling(ClientContext client, Runnable call) {
        this.client = client;
        this.call = call;
    }

    /** The state has changed. Never blocks. */
    void changed() {
        synchronized (lock) {
            hasNews = true;
            if (isCalling || isClosed) {
                return;
            }
            returned = new CompletableFuture<>();
            isCalling = true;
        }
        try {
            client.callbacks().tell(this::call);
        } catch (RuntimeException | Error e) {
            synchronized (lock) {
                isCalling = false;
            }
            throw e;
        }
    }

    private void call() {
        synchronized (lock) {
            if (caller != null) {
                // This piece was queued although handing it over failed. The call that runs takes the news, too.
                return;
            }
            caller = Thread.currentThread();
        }
        while (takeNews()) {
            try {
                call.run();
            } catch (Throwable e) {
                client.journal().warn("a listener threw", e);
            }
        }
    }

    private boolean takeNews() {
        CompletableFuture<Void> over;
        synchronized (lock) {
            if (hasNews && !isClosed) {
                hasNews = false;
                return true;
            }
            isCalling = false;
            caller = null;
            over = returned;
        }
        over.complete(null);
        return false;
    }

    /** No call begins from here on, not even a scheduled one. Returns what to wait for, or null from inside a call. */
    @Nullable
    CompletableFuture<Void> end() {
        synchronized (lock) {
            isClosed = true;
            if (caller == null) {
                return CompletableFuture.completedFuture(null);
            }
            return caller == Thread.currentThread() ? null : returned;
        }
    }

    /** Waits for {@code running}, which {@link #end} returned. */
    void await(@Nullable CompletableFuture<Void> running) {
        if (running != null) {
            // Two listeners that close each other must not wait for each other for ever.
            boolean isInside = client.callbacks().isInside();
            client.awaitQuietly(running, isInside ? client.timing().requestTimeoutNanos() : Durations.MAX.toNanos());
        }
    }
}
