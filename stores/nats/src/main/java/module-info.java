/**
 * Elections in a key-value bucket of NATS JetStream.
 */
module dev.mandate.nats {
    requires transitive dev.mandate;
    requires dev.mandate.support;
    requires io.nats.jnats;
    requires static org.jspecify;

    // Also for the client library, which creates its port by the name of the class.
    exports dev.mandate.nats;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.nats.NatsStoreProvider;
}
