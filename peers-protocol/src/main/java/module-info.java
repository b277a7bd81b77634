/**
 * The pure part of elections between instances. Not a public API: exported to the runtime and to the simulator.
 */
module dev.mandate.peers.protocol {
    requires transitive dev.mandate;
    requires dev.mandate.support;
    requires static org.jspecify;

    exports dev.mandate.peers.node to
            dev.mandate.peers,
            dev.mandate.simulator;
    exports dev.mandate.peers.order to
            dev.mandate.peers,
            dev.mandate.simulator;
    exports dev.mandate.peers.register to
            dev.mandate.peers,
            dev.mandate.simulator;
}
