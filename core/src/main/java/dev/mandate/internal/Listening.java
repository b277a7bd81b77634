package dev.mandate.internal;

import dev.mandate.LeaderListener;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.engine.View;
import dev.mandate.spi.Durations;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A listener and what it has been told: one call at a time, and only ever the newest state. */
final class Listening implements Observing {
    private final ClientElection election;
    private final LeaderListener listener;

    /** Guards everything below; nothing foreign runs under it. */
    private final Object lock = new Object();

    private boolean hasNews;
    private boolean isCalling;
    private boolean isClosed;
    private @Nullable Thread caller;
    private CompletableFuture<Void> returned = CompletableFuture.completedFuture(null);

    // Only inside a call.
    private @Nullable View told;
    private boolean toldUnknown;

    Listening(ClientElection election, LeaderListener listener) {
        this.election = election;
        this.listener = listener;
    }

    /** The state has changed. Never blocks. */
    void changed() {
        synchronized (lock) {
            hasNews = true;
            if (isCalling || isClosed) {
                return;
            }
            isCalling = true;
            returned = new CompletableFuture<>();
        }
        election.client().callbacks().tell(this::call);
    }

    private void call() {
        synchronized (lock) {
            caller = Thread.currentThread();
        }
        while (takeNews()) {
            try {
                tell();
            } catch (Throwable e) {
                election.client().journal().warn("a listener threw", e);
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

    private void tell() {
        View now = election.view();
        LeaderView view = election.present();
        boolean isUnknown = view instanceof LeaderView.Unknown;
        boolean isOld = isUnknown ? toldUnknown : !toldUnknown && now.equals(told);
        if (isOld) {
            return;
        }
        told = now;
        toldUnknown = isUnknown;
        listener.changed(view);
    }

    @Override
    public LeaderView view() {
        return election.present();
    }

    @Override
    public void close() {
        CompletableFuture<Void> running = end();
        election.remove(this);
        if (running != null) {
            // Two listeners that close each other must not wait for each other for ever.
            Client client = election.client();
            client.awaitQuietly(
                    running, client.callbacks().isInside() ? client.timing().answerNanos() : Durations.MAX.toNanos());
        }
    }

    /** No call begins from here on. What to wait for, or null from inside a call. One that has not begun never will. */
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
}
