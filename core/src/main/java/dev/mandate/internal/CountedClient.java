package dev.mandate.internal;

import dev.mandate.CallStatistics;
import dev.mandate.ClientStatistics;
import dev.mandate.ElectionStatistics;
import dev.mandate.EndReason;
import dev.mandate.spi.Verb;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The figures of a client; see there for the components. */
record CountedClient(
        Map<Verb, CallStatistics> calls,
        long termsBegun,
        Map<EndReason, Long> termsEnded,
        long overruns,
        long sessionsOpened,
        long sessionsLost,
        long watchGaps,
        long watchReopenings,
        List<ElectionStatistics> elections)
        implements ClientStatistics {
    CountedClient {
        calls = Collections.unmodifiableMap(new EnumMap<>(calls));
        termsEnded = Collections.unmodifiableMap(new EnumMap<>(termsEnded));
        elections = List.copyOf(elections);
    }

    @Override
    public Optional<Duration> oldestRenewalAge() {
        return elections.stream()
                .flatMap(election -> election.renewalAge().stream())
                .max(Duration::compareTo);
    }
}
