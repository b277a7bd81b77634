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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One watch of a service. */
final class WatchedService extends WatchedList<ServiceView, ServiceChange> implements ServiceWatch {
    private final FollowedService followed;
    private final ServiceListener listener;
    /** The id that {@link #next} last returned; at first a random one, so that not all clients begin with the same. */
    private final AtomicReference<String> last;

    WatchedService(
            FollowedService followed,
            ServiceListener listener,
            String from,
            Consumer<FollowedList.Watcher> whenClosed) {
        super(followed, whenClosed);
        this.followed = followed;
        this.listener = listener;
        this.last = new AtomicReference<>(from);
    }

    @Override
    List<ServiceChange> changes(@Nullable ServiceView before, ServiceView now) {
        return now.since(before == null ? new ServiceView(now.service(), List.of(), Duration.ZERO, true) : before);
    }

    @Override
    boolean isStale(ServiceView view) {
        return view.stale();
    }

    @Override
    void call(ServiceView now, List<ServiceChange> changes) {
        listener.changed(now, changes);
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
}
