package dev.mandate.nats;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code nats://host:4222,host2:4222/BUCKET}, and {@code tls:} for TLS. Opening examines the bucket and creates a
 * missing one, within three seconds. It fails if the setup has to change, and tolerates servers that are down.
 */
public final class NatsStoreProvider implements ElectionStoreProvider {
    /** Found by {@link java.util.ServiceLoader}. */
    public NatsStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(NatsUrl.PLAIN, NatsUrl.TLS);
    }

    @Override
    public Map<String, String> parameters() {
        return NatsUrl.parameters();
    }

    @Override
    public Set<String> secretVariables() {
        return Set.of();
    }

    @Override
    public ElectionStore open(StoreUrl url) {
        return NatsElectionStore.open(NatsUrl.settings(url));
    }
}
