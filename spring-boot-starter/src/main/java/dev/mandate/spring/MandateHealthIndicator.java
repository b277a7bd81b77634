package dev.mandate.spring;

import dev.mandate.CandidacyStatus;
import dev.mandate.ElectionClient;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Up while the store answered within the lease: an application whose store is silent for longer does not lead, and
 * cannot. Whether it leads does not matter. No part of liveness: restarting does not bring a store back.
 */
final class MandateHealthIndicator extends AbstractHealthIndicator {
    /** Read where there is no candidacy whose answers could be looked at. */
    private static final String PROBE = "mandate-health";

    private final ElectionClient client;

    MandateHealthIndicator(ElectionClient client) {
        super("the health of Mandate could not be found out");
        this.client = client;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Duration lease = client.explain().lease();
        Map<String, CandidacyStatus> candidacies = client.elections();
        // A valid term is a renewal that was answered within the lease.
        if (candidacies.values().stream().anyMatch(CandidacyStatus::isLeader)) {
            builder.up();
        } else {
            Duration silence = silence(candidacies.keySet());
            builder.status(silence.compareTo(lease) <= 0 ? Status.UP : Status.DOWN)
                    .withDetail("lastAnswerMillis", silence.toMillis());
        }
        builder.withDetail("leaseMillis", lease.toMillis())
                .withDetail("candidate", client.candidate())
                .withDetail("overruns", client.statistics().overruns())
                .withDetail("elections", Candidacies.of(client));
    }

    /** How long ago the store last answered. */
    private Duration silence(Set<String> elections) {
        return (elections.isEmpty() ? Set.of(PROBE) : elections)
                .stream()
                        .map(name -> client.election(name).view().age())
                        .min(Duration::compareTo)
                        .orElseThrow();
    }
}
