package dev.mandate.internal;

import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServicesListener;
import dev.mandate.registry.ServicesView;
import dev.mandate.registry.ServicesWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One watch of all services. */
final class WatchedServices extends WatchedList<ServicesView, ServiceView> implements ServicesWatch {
    private final ServicesListener listener;

    WatchedServices(FollowedServices followed, ServicesListener listener, Consumer<FollowedList.Watcher> whenClosed) {
        super(followed, whenClosed);
        this.listener = listener;
    }

    @Override
    List<ServiceView> changes(@Nullable ServicesView before, ServicesView now) {
        List<ServiceView> changed = new ArrayList<>();
        Lists.pairs(
                before == null ? List.of() : before.services(), now.services(), ServiceView::service, (old, one) -> {
                    if (one == null && old != null) {
                        changed.add(new ServiceView(old.service(), List.of(), now.age(), now.stale()));
                    } else if (one != null && (old == null || !old.instances().equals(one.instances()))) {
                        changed.add(one);
                    }
                });
        return changed;
    }

    @Override
    boolean isStale(ServicesView view) {
        return view.stale();
    }

    @Override
    void call(ServicesView now, List<ServiceView> changes) {
        listener.changed(now, changes);
    }
}
