package dev.mandate;

import java.time.Duration;
import java.util.Optional;

/** What an observer knows about an election. */
public sealed interface LeaderView permits LeaderView.Led, LeaderView.Vacant, LeaderView.Unknown {

    /**
     * How long ago the store last answered a question about this election. Hints do not count, so a
     * leader may be newer.
     */
    Duration age();

    /** The leader, if one is known. */
    default Optional<Leader> leader() {
        return Optional.empty();
    }

    /**
     * Somebody leads.
     *
     * @param current who
     */
    record Led(Leader current, Duration age) implements LeaderView {
        @Override
        public Optional<Leader> leader() {
            return Optional.of(current);
        }
    }

    /** Nobody leads: the record is free, or its holder was seen dead for a full lease. */
    record Vacant(Duration age) implements LeaderView {}

    /** The store has not answered for too long, or never did: the last leader may or may not still lead. */
    record Unknown(Duration age) implements LeaderView {}
}
