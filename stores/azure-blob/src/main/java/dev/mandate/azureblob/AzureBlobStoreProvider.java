package dev.mandate.azureblob;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code azblob://account/container} and, for the emulator, {@code
 * azblob+http://127.0.0.1:10000/devstoreaccount1/container}. Opening makes the first calls, for three seconds at most.
 * It fails if the setup has to change, and tolerates a service that is away.
 */
public final class AzureBlobStoreProvider implements ElectionStoreProvider {
    // No SDK class is used here, so the SDK is loaded only when such a URL is opened, not when
    // providers are discovered.

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

    /** {@inheritDoc} The shortest lease that the service grants. */
    @Override
    public Duration defaultLease() {
        return Records.LEASE_MIN;
    }

    @Override
    public Set<String> secretVariables() {
        // All that this store reads; azure-identity, which a program may add, reads more.
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
