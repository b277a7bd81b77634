package dev.mandate.internal;

import dev.mandate.ElectionStatistics;
import dev.mandate.FencingToken;
import java.time.Duration;
import java.util.Optional;

/** The figures of one election. */
record CountedElection(
        String election, boolean isLeader, Optional<FencingToken> fencingToken, Optional<Duration> renewalAge)
        implements ElectionStatistics {
    static CountedElection leads(FencingToken token, Duration renewalAge) {
        return new CountedElection(token.election(), true, Optional.of(token), Optional.of(renewalAge));
    }

    static CountedElection follows(String election) {
        return new CountedElection(election, false, Optional.empty(), Optional.empty());
    }
}
