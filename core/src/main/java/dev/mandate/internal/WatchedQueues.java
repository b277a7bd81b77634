package dev.mandate.internal;

import dev.mandate.ElectionQueue;
import dev.mandate.QueuesListener;
import dev.mandate.QueuesView;
import dev.mandate.QueuesWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One watch of the queues of all elections. */
final class WatchedQueues extends WatchedList<QueuesView, ElectionQueue> implements QueuesWatch {
    private final QueuesListener listener;

    WatchedQueues(FollowedQueues followed, QueuesListener listener, Consumer<FollowedList.Watcher> whenClosed) {
        super(followed, whenClosed);
        this.listener = listener;
    }

    @Override
    List<ElectionQueue> changes(@Nullable QueuesView before, QueuesView now) {
        List<ElectionQueue> changed = new ArrayList<>();
        Lists.pairs(before == null ? List.of() : before.queues(), now.queues(), ElectionQueue::election, (old, one) -> {
            if (one == null && old != null) {
                changed.add(new ElectionQueue(old.election(), List.of()));
            } else if (one != null && !one.equals(old)) {
                changed.add(one);
            }
        });
        return changed;
    }

    @Override
    boolean isStale(QueuesView view) {
        return view.stale();
    }

    @Override
    void call(QueuesView now, List<ElectionQueue> changes) {
        listener.changed(now, changes);
    }
}
