package dev.mandate.internal;

import dev.mandate.ElectionChange;
import dev.mandate.ElectionsListener;
import dev.mandate.ElectionsView;
import dev.mandate.ElectionsWatch;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.TermEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One watch of all elections. */
final class WatchedElections extends WatchedList<ElectionsView, ElectionChange> implements ElectionsWatch {
    private final FollowedElections followed;
    private final ElectionsListener listener;

    WatchedElections(
            FollowedElections followed, ElectionsListener listener, Consumer<FollowedList.Watcher> whenClosed) {
        super(followed, whenClosed);
        this.followed = followed;
        this.listener = listener;
    }

    @Override
    @SuppressWarnings("ReferenceEquality")
    List<ElectionChange> changes(@Nullable ElectionsView before, ElectionsView now) {
        List<ElectionChange> changes = new ArrayList<>();
        List<Leader> told = before == null ? List.of() : before.leaders();
        Lists.pairs(told, now.leaders(), Leader::election, (old, one) -> {
            Leader any = one == null ? old : one;
            if (any != null && old != one && (old == null || !old.equals(one))) {
                TermEnd end = before == null ? null : followed.end(old, one);
                changes.add(new ElectionChange(any.election(), old, one, end));
            }
        });
        return changes;
    }

    @Override
    boolean isStale(ElectionsView view) {
        return view.stale();
    }

    @Override
    void call(ElectionsView now, List<ElectionChange> changes) {
        listener.changed(now, changes);
    }

    @Override
    public LeaderView view(String election) {
        return followed.leader(election);
    }
}
