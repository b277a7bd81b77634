package dev.mandate.testkit;

/** Like Azure Blob. */
class MemoryRemovesByRecordConformanceTest extends MemoryConformance {
    MemoryRemovesByRecordConformanceTest() {
        super("expiry=store-removes&scope=record&token=clock&watch=false");
    }
}
