package dev.mandate.testkit;

/** Like etcd. */
class MemoryRemovesBySessionConformanceTest extends MemoryConformance {
    MemoryRemovesBySessionConformanceTest() {
        super("expiry=store-removes&scope=session&token=revision&vacant=constant");
    }
}
