package dev.mandate.testkit;

/** Like Consul: freed at twice the lease, then locked for a while. */
class MemoryRemovesBySessionLateConformanceTest extends MemoryConformance {
    MemoryRemovesBySessionLateConformanceTest() {
        super("expiry=store-removes&scope=session&token=revision&expiryFactor=2&lockDelay=300ms");
    }
}
