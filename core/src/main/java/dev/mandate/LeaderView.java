package dev.mandate;

import java.time.Duration;
import java.util.Optional;

/** What an observer knows about an election. */
public sealed interface LeaderView permits LeaderView.Led, LeaderView.Vacant, LeaderView.Unknown {

    /** How long ago the store last answered a question about this election. What a watch tells is no answer: a leader may be younger than this. */
    Duration age();

    /** The leader, if one is known. */
    default Optional<Leader> leader() {
        return Optional.empty();
    }

    /** Somebody leads. */
    record Led(Leader by, Duration age) implements LeaderView {
        @Override
        public Optional<Leader> leader() {
            return Optional.of(by);
        }
    }

    /** Nobody leads: the record is free, or its holder was seen dead for a full lease. */
    record Vacant(Duration age) implements LeaderView {}

    /** The store has not answered for too long (or never): whoever led may or may not still lead. */
    record Unknown(Duration age) implements LeaderView {}
}
