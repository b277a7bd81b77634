package dev.mandate.testkit;

/** Like NATS, where every write renews. */
class MemoryRemovesByRecordRenewingConformanceTest extends MemoryConformance {
    MemoryRemovesByRecordRenewingConformanceTest() {
        super("expiry=store-removes&scope=record&token=revision&updatesRenew=true");
    }
}
