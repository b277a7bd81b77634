package dev.mandate.internal;

import dev.mandate.EndReason;
import dev.mandate.LeaderLatch;
import dev.mandate.Leadership;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import java.util.Optional;

/**
 * A candidacy whose work is whatever its user does while {@link #isLeader()}. Nobody knows when that has stopped, so it
 * counts as stopped when the drain budget is used up, unless the user said so before.
 */
final class LatchCandidacy extends LastingCandidacy implements LeaderLatch {

    LatchCandidacy(Contest election, String value) {
        super(election, value);
    }

    // ---- on the loop ----

    @Override
    WonLeadership won(Term term) {
        return new WonLeadership(this, term, null);
    }

    @Override
    public void ended(WonLeadership leadership, Now now) {
        super.ended(leadership, now);
        client().loop()
                .at(now.monotonicNanos() + Overruns.budgetNanos(leadership, now), later -> workStopped(leadership));
    }

    // ---- asked for on any thread ----

    @Override
    public boolean knowsWhenWorkStops() {
        return false;
    }

    @Override
    public boolean isLeader() {
        return leadership().isPresent();
    }

    @Override
    public Optional<Leadership> leadership() {
        WonLeadership won = election().leadership();
        if (won == null || won.candidacy() != this || isClosed() || isStopping() || !won.isValid()) {
            return Optional.empty();
        }
        return Optional.of(won);
    }

    @Override
    public void resign(WonLeadership leadership) {
        leadership.end(EndReason.RESIGNED);
        workStopped(leadership);
    }

    @Override
    public void closed(WonLeadership leadership) {
        resign(leadership);
    }
}
