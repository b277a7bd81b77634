package dev.mandate.azureblob;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code azblob://account/container} and, for the emulator, {@code azblob+http://127.0.0.1:10000/devstoreaccount1/container}. Opening makes
 * the first calls, for three seconds at most: what needs to be set up otherwise shows at once, and a service that is away is no reason
 * to refuse.
 */
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

    /** {@inheritDoc} The shortest that the service grants. */
    @Override
    public Duration defaultLease() {
        return AzureBlobElectionStore.LEASE_MIN;
    }

    @Override
    public Set<String> secretVariables() {
        // All that is read here; azure-identity, which a program may add, reads more.
        return Set.of(AzureBlobUrl.CONNECTION_VARIABLE, AzureBlobUrl.ACCOUNT_KEY_VARIABLE, AzureBlobUrl.SAS_VARIABLE);
    }

    @Override
    public ElectionStore open(StoreUrl url) {
        AzureBlobElectionStore store = new AzureBlobElectionStore(AzureBlobUrl.settings(url));
        try {
            store.warmUp();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        return store;
    }
}
