package dev.mandate.testkit;

import dev.mandate.internal.memory.MemoryStoreProvider;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;

/** The suite on {@code memory:}, in every combination of traits the engine knows. */
abstract class MemoryConformance extends StoreConformance {
    private final String name = getClass().getSimpleName();
    private final String parameters;
    private final MemoryFaults faults = MemoryFaults.of(name);

    MemoryConformance(String parameters) {
        this.parameters = parameters;
    }

    @Override
    protected ElectionStore open() {
        return open("");
    }

    private ElectionStore open(String more) {
        return new MemoryStoreProvider().open(StoreUrl.parse("memory:" + name + "?" + parameters + more));
    }

    @Override
    protected Duration shortestLease() {
        return Duration.ofMillis(700);
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        faults.only("broken").failPermanently("the password of this store has changed; give the new one");
        return Optional.of(() -> open("&as=broken"));
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.of(
                "memory:?scope=planet", List.of("scope", "planet", "record"),
                "memory:?leaseMin=soon", List.of("leaseMin", "soon", "500ms"));
    }

    @Override
    protected boolean writeForeign(RecordKey key, String text) {
        faults.overwriteRecord(key.name(), text);
        return true;
    }

    @AfterEach
    void letGo() {
        faults.close();
    }
}
