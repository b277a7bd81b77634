package dev.mandate.testkit;

/** Like a Kubernetes Lease. */
class MemoryJudgedByRecordConformanceTest extends MemoryConformance {
    MemoryJudgedByRecordConformanceTest() {
        super("expiry=observer-judges&scope=record&token=revision&answers=at-once");
    }
}
