package dev.mandate.internal;

import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceChange;
import dev.mandate.registry.ServiceListener;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One who watches a service, and what it has been told. */
final class WatchedService implements ServiceWatch {
    private final FollowedService followed;
    private final ServiceListener listener;
    private final Telling telling;
    private final Consumer<WatchedService> whenClosed;
    /**
     * The id that the last call of {@link #next} gave, or one by chance, so that not all who begin call the same
     * instance.
     */
    private final AtomicReference<String> last;

    /** What was known when it was last said that there is news. On the loop, or before it is told of anything. */
    private @Nullable ServiceView seen;

    // Only inside a call.
    private @Nullable ServiceView told;

    WatchedService(
            Client client,
            FollowedService followed,
            ServiceListener listener,
            String from,
            Consumer<WatchedService> whenClosed) {
        this.followed = followed;
        this.listener = listener;
        this.telling = new Telling(client, this::tell);
        this.last = new AtomicReference<>(from);
        this.whenClosed = whenClosed;
    }

    /** Perhaps there is news: another object, whether or not it says the same. On the loop. */
    @SuppressWarnings("ReferenceEquality")
    void look() {
        ServiceView newest = followed.newest();
        if (newest != seen) {
            seen = newest;
            telling.changed();
        }
    }

    private void tell() {
        ServiceView now = followed.told();
        ServiceView before = told;
        List<ServiceChange> changes =
                now.since(before == null ? new ServiceView(now.service(), List.of(), Duration.ZERO, true) : before);
        if (before == null || !changes.isEmpty() || before.stale() != now.stale()) {
            told = now;
            listener.changed(now, changes);
        }
    }

    @Override
    public ServiceView view() {
        return followed.view();
    }

    @Override
    public Optional<RegisteredInstance> next() {
        while (true) {
            String before = Objects.requireNonNull(last.get(), "last");
            Optional<RegisteredInstance> next = followed.newest().after(before);
            if (next.isEmpty() || last.compareAndSet(before, next.get().id())) {
                return next;
            }
        }
    }

    @Override
    public Optional<RegisteredInstance> forKey(String key) {
        return followed.newest().forKey(key);
    }

    @Override
    public void close() {
        CompletableFuture<Void> running = end();
        whenClosed.accept(this);
        telling.await(running);
    }

    /** See {@link Telling#end}. */
    @Nullable
    CompletableFuture<Void> end() {
        return telling.end();
    }
}
