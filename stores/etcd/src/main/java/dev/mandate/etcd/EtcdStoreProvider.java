package dev.mandate.etcd;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code etcd://host:2379,host2:2379/prefix}, and {@code etcds:} for TLS. Opening makes a first call, for three
 * seconds at most. It fails if the setup has to change, and tolerates a cluster that is down.
 */
public final class EtcdStoreProvider implements ElectionStoreProvider {
    /** Found by {@link java.util.ServiceLoader}. */
    public EtcdStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(EtcdUrl.PLAIN, EtcdUrl.TLS);
    }

    @Override
    public Map<String, String> parameters() {
        return EtcdUrl.parameters();
    }

    @Override
    public Set<String> secretVariables() {
        return Set.of();
    }

    @Override
    public ElectionStore open(StoreUrl url) {
        EtcdElectionStore store = opened(EtcdUrl.settings(url));
        try {
            store.warmUp();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        return store;
    }

    private static EtcdElectionStore opened(EtcdSettings settings) {
        try {
            return new EtcdElectionStore(settings);
        } catch (IllegalArgumentException e) {
            // Only the files' contents can still be wrong.
            throw new StoreSetupException(
                    settings.name() + ": certFile and keyFile can't be used: " + e.getMessage(), e);
        }
    }
}
