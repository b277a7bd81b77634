package dev.mandate.azureblob;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Map;
import java.util.Set;

/** Opens {@code azblob://account/container} and, for the emulator, {@code azblob+http://127.0.0.1:10000/devstoreaccount1/container}. */
public final class AzureBlobStoreProvider implements ElectionStoreProvider {
    // Nothing of the SDK stands here: it is loaded when such a URL is opened, not when providers are looked through.

    /** Found by {@link java.util.ServiceLoader}. */
    public AzureBlobStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(AzureBlobUrl.TLS, AzureBlobUrl.PLAIN);
    }

    @Override
    public Map<String, String> parameters() {
        return AzureBlobUrl.parameters();
    }

    /** {@inheritDoc} Does not wait for the service: the first call finds out whether it is there. */
    @Override
    public ElectionStore open(StoreUrl url) {
        return new AzureBlobElectionStore(AzureBlobUrl.settings(url));
    }
}
