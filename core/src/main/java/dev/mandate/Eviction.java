package dev.mandate;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an eviction did.
 *
 * @param outcome what happened
 * @param evicted whom it concerned; null if nobody led
 * @param overlapAtMost how long the evicted leader may go on believing beside a new one; zero unless forced
 */
public record Eviction(Outcome outcome, @Nullable Leader evicted, Duration overlapAtMost) {

    /** What an eviction did. */
    public enum Outcome {
        /** The leave flag was set; the leader will stop, or its lease will run out. */
        ASKED,
        /** The leave flag had been set before; nothing was written. */
        ASKED_BEFORE,
        /** The record was freed. */
        FREED,
        /** Nobody led. */
        VACANT,
        /** The record is another program's and knows no leave flag: only force works. */
        FOREIGN,
        /** Another term had begun meanwhile; it was not touched. */
        MOVED_ON
    }

    /** Whom it concerned, if anybody. */
    public Optional<Leader> leader() {
        return Optional.ofNullable(evicted);
    }
}
