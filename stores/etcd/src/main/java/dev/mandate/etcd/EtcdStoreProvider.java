package dev.mandate.etcd;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code etcd://host:2379,host2:2379/prefix}, and {@code etcds:} for TLS. Opening makes a first call, for three seconds at most:
 * what needs to be set up otherwise shows at once, and a cluster that is down is no reason to refuse.
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
    public ElectionStore open(StoreUrl url) {
        EtcdElectionStore store = new EtcdElectionStore(EtcdUrl.settings(url));
        try {
            store.warmUp();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        return store;
    }
}
