/**
 * Leader election on the coordination store a team already runs. No runtime dependency.
 *
 * <p>{@code dev.mandate} is what applications use, {@code dev.mandate.spi} what the author of a store implements. The
 * engine and the runtime are exported only to the modules that prove them, to elections between instances, which share
 * their clocks, to the commands that print their bounds, and to the elections for users' tests.
 */
module dev.mandate {
    requires static org.jspecify;

    exports dev.mandate;
    exports dev.mandate.memory;
    exports dev.mandate.registry;
    exports dev.mandate.spi;
    exports dev.mandate.engine to
            dev.mandate.bench,
            dev.mandate.peers,
            dev.mandate.peers.protocol,
            dev.mandate.simulator,
            dev.mandate.test,
            dev.mandate.testkit;
    exports dev.mandate.internal to
            dev.mandate.cli,
            dev.mandate.peers,
            dev.mandate.simulator,
            dev.mandate.test;
    exports dev.mandate.json to
            dev.mandate.bench,
            dev.mandate.support;
    exports dev.mandate.internal.memory to
            dev.mandate.simulator,
            dev.mandate.test,
            dev.mandate.testkit;

    uses dev.mandate.spi.ElectionStoreProvider;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.internal.memory.MemoryStoreProvider;
}
