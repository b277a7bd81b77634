package dev.mandate.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One watch of a {@link FollowedList}, and what its listener has been told.
 *
 * @param <V> the view that it sees
 * @param <C> how a change is described to it
 */
abstract class WatchedList<V, C> implements FollowedList.Watcher {
    private final ClientContext client;
    private final FollowedList<?, V> followed;
    private final Consumer<FollowedList.Watcher> whenClosed;
    private final Telling telling;
    /** Completed once the store has answered, or never will. */
    private final CompletableFuture<Void> listed = new CompletableFuture<>();

    /** The last edition announced as news. On the loop, or before the first announcement. */
    private int seen = -1;

    // Used only inside a call.
    private @Nullable V told;

    WatchedList(FollowedList<?, V> followed, Consumer<FollowedList.Watcher> whenClosed) {
        this.client = followed.client();
        this.followed = followed;
        this.whenClosed = whenClosed;
        this.telling = new Telling(client, this::tell);
    }

    // ---- what kind it is ----

    /** The differences from {@code before}, which is null if nothing was told before. */
    abstract List<C> changes(@Nullable V before, V now);

    abstract boolean isStale(V view);

    /** Calls the listener. */
    abstract void call(V now, List<C> changes);

    // ---- telling ----

    @Override
    public final void look() {
        int edition = followed.known().edition();
        if (edition != seen) {
            telling.changed();
            seen = edition;
        }
        listed.complete(null);
    }

    private void tell() {
        V now = followed.told();
        V before = told;
        List<C> changes = changes(before, now);
        if (before == null || !changes.isEmpty() || isStale(before) != isStale(now)) {
            told = now;
            call(now, changes);
        }
    }

    // ---- asking ----

    public V view() {
        return followed.view();
    }

    public V awaitListed(Duration atMost) throws InterruptedException {
        client.await(listed, atMost);
        return followed.view();
    }

    // ---- the end ----

    public void close() {
        CompletableFuture<Void> running = end();
        whenClosed.accept(this);
        telling.await(running);
    }

    @Override
    public final void giveUp() {
        listed.complete(null);
    }

    @Override
    public final @Nullable CompletableFuture<Void> end() {
        giveUp();
        return telling.end();
    }
}
