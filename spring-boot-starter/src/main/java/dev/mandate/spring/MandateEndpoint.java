package dev.mandate.spring;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The actuator endpoint {@code mandate}: what this application's candidacies do. Changes nothing; asks no store. */
@Endpoint(id = "mandate")
final class MandateEndpoint {
    private final ElectionClient client;

    MandateEndpoint(ElectionClient client) {
        this.client = client;
    }

    /** All candidacies, and the bounds that are in force. */
    @ReadOperation
    Map<String, Object> mandate() {
        Explanation bounds = client.explain();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("candidate", client.candidate());
        all.put("store", bounds.store());
        all.put("guarantee", bounds.guarantee());
        all.put("leaseMillis", bounds.lease().toMillis());
        all.put("failoverAtMostMillis", bounds.failoverAtMost().toMillis());
        all.put("elections", Candidacies.of(client));
        return all;
    }

    /** One candidacy; not found if this application is no candidate there. */
    @ReadOperation
    @Nullable
    Map<String, Object> election(@Selector String election) {
        return client.elections().containsKey(election)
                ? Candidacies.of(client.election(election).status())
                : null;
    }
}
