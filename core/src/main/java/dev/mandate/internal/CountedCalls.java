package dev.mandate.internal;

import dev.mandate.CallOutcome;
import dev.mandate.CallStatistics;
import dev.mandate.spi.Verb;
import java.time.Duration;
import java.util.Map;

/** The calls of one verb. Every outcome is in both maps. */
record CountedCalls(Verb verb, long sent, Map<CallOutcome, Long> counts, Map<CallOutcome, Duration> times)
        implements CallStatistics {
    CountedCalls {
        counts = Map.copyOf(counts);
        times = Map.copyOf(times);
    }

    @Override
    public long count(CallOutcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }

    @Override
    public Duration time(CallOutcome outcome) {
        return times.getOrDefault(outcome, Duration.ZERO);
    }
}
