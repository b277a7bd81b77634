package dev.mandate.testkit;

/** Like SQL. */
class MemoryJudgedBySessionConformanceTest extends MemoryConformance {
    MemoryJudgedBySessionConformanceTest() {
        super("expiry=observer-judges&scope=session&token=clock");
    }
}
