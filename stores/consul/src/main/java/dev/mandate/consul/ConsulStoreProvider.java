package dev.mandate.consul;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Map;
import java.util.Set;

/** Opens {@code consul://host:8500} and, with TLS, {@code consuls://host:8501}. */
public final class ConsulStoreProvider implements ElectionStoreProvider {
    /** Found by {@link java.util.ServiceLoader}. */
    public ConsulStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(ConsulUrl.PLAIN, ConsulUrl.TLS);
    }

    @Override
    public Map<String, String> parameters() {
        return ConsulUrl.PARAMETERS;
    }

    @Override
    public Set<String> secretVariables() {
        return Set.of(ConsulToken.VARIABLE);
    }

    /** {@inheritDoc} Does not wait for Consul: the first call finds out whether it is there. */
    @Override
    public ElectionStore open(StoreUrl url) {
        return new ConsulElectionStore(ConsulUrl.settings(url));
    }
}
