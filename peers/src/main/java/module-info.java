/**
 * Elections between instances, without a store. Opened by URL: {@code peers:}, {@code bully:} and {@code ring:}.
 *
 * <p>Exports nothing but what the command line shows of a node.
 */
module dev.mandate.peers {
    requires transitive dev.mandate;
    requires dev.mandate.peers.protocol;
    requires dev.mandate.support;
    requires jdk.net;
    requires static org.jspecify;

    exports dev.mandate.peers.runtime to
            dev.mandate.bench;
    exports dev.mandate.peers.transport to
            dev.mandate.bench;
    exports dev.mandate.peers.url to
            dev.mandate.console,
            dev.mandate.demo;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.peers.store.GroupStoreProvider;
}
