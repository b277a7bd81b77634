package dev.mandate;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of an eviction.
 *
 * @param outcome what happened
 * @param evicted the leader concerned; null if nobody led
 * @param overlapAtMost how long the evicted leader may still believe beside a new one; zero unless forced
 */
public record Eviction(Outcome outcome, @Nullable Leader evicted, Duration overlapAtMost) {

    /** What an eviction did. */
    public enum Outcome {
        /** The leave flag was set; the leader will stop, or its lease will run out. */
        ASKED,
        /** The leave flag was already set; nothing was written. */
        ASKED_BEFORE,
        /** The record was freed. */
        FREED,
        /** Nobody led. */
        VACANT,
        /** Another program wrote the record, which has no leave flag: only force works. */
        FOREIGN,
        /** Another term had begun meanwhile and was left alone. */
        MOVED_ON
    }

    /** The leader concerned, if any. */
    public Optional<Leader> leader() {
        return Optional.ofNullable(evicted);
    }
}
