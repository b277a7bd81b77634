package dev.mandate.etcd;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code etcd://host:2379,host2:2379/prefix}, and {@code etcds:} for TLS. Opening reads files and calls no server; whether one answers
 * shows the first call.
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
        return new EtcdElectionStore(EtcdUrl.settings(url));
    }
}
