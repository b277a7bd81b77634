package dev.mandate.internal;

import dev.mandate.ElectionsView;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.TermEnd;
import dev.mandate.engine.FollowedChange;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.Silence;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All elections, followed at once. */
final class FollowedElections extends FollowedList<Leader, ElectionsView> {
    private final TermEnds ends = new TermEnds();

    FollowedElections(ClientContext client) {
        super(client, "the elections", ALL_MAX);
    }

    @Override
    int compare(Leader each, RecordKey key) {
        return each.election().compareTo(key.name());
    }

    @Override
    ElectionsView view(List<Leader> list, Duration age, boolean isStale) {
        return new ElectionsView(list, age, isStale);
    }

    @Override
    public void changed(FollowingAction.Changed<Leader> news) {
        super.changed(news);
        if (news.isFirst()) {
            return;
        }
        long nowNanos = client().host().nanos();
        // What ended while the store could not be read may have ended at any time.
        boolean wasAway = known().isStale(nowNanos);
        for (FollowedChange<Leader> change : news.changes()) {
            Leader before = change.before();
            Silence silence = wasAway ? Silence.UNSEEN : change.silence();
            TermEnd.Cause cause = before == null ? TermEnd.Cause.UNKNOWN : TermEnds.cause(before, silence);
            long vacantNanos = before == null ? 0 : TermEnds.vacantNanos(before, silence);
            ends.changed(before, change.after(), cause, vacantNanos, nowNanos);
        }
    }

    // ---- on any thread ----

    LeaderView leader(String election) {
        RecordKey.requireName("name", election);
        Known<Leader> now = known();
        long nanos = client().host().nanos();
        Duration age = now.age(nanos);
        if (now.isStale(nanos)) {
            return new LeaderView.Unknown(age);
        }
        LeaderView other = now.isFull() ? new LeaderView.Unknown(age) : new LeaderView.Vacant(age);
        return newest().find(election)
                .<LeaderView>map(by -> new LeaderView.Led(by, age))
                .orElse(other);
    }

    @Nullable
    TermEnd end(@Nullable Leader before, @Nullable Leader after) {
        return ends.between(before, after, client().host().nanos());
    }
}
