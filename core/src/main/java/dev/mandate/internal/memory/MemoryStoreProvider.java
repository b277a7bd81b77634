package dev.mandate.internal.memory;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code memory:} stores, for tests. Each {@code memory:} has data of its own. {@code memory:orders} is shared by
 * all clients of this JVM that use the name; it lives until the last of them, and the last
 * {@link dev.mandate.memory.MemoryFaults} of it, is closed.
 */
public final class MemoryStoreProvider implements ElectionStoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public MemoryStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public Map<String, String> parameters() {
        return MemorySettings.PARAMETERS;
    }

    @Override
    public Set<String> secretVariables() {
        return Set.of();
    }

    @Override
    public ElectionStore open(StoreUrl url) {
        MemorySettings settings = MemorySettings.of(url);
        MemoryServer server = MemoryServer.enter(settings.name());
        try {
            server.begin(settings);
            return new MemoryStore(server, settings);
        } catch (RuntimeException e) {
            server.leave();
            throw e;
        }
    }
}
