/**
 * Elections in Consul, with the JDK's HTTP client.
 */
module dev.mandate.consul {
    requires transitive dev.mandate;
    requires com.fasterxml.jackson.core;
    requires dev.mandate.support;
    requires java.net.http;
    requires static org.jspecify;

    exports dev.mandate.consul;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.consul.ConsulStoreProvider;
}
