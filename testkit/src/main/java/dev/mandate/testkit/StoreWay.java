package dev.mandate.testkit;

import java.io.IOException;
import java.util.function.IntFunction;

/** A client's way to its store, which can be cut. Used by one thread. */
public interface StoreWay extends AutoCloseable {
    /** The URL of a client that goes this way. */
    String url();

    /** Lets nothing through. */
    void cut() throws Exception;

    /** Lets everything through again. */
    void heal() throws Exception;

    /** Ends it, healed or not. */
    @Override
    void close() throws Exception;

    /**
     * Through a proxy to a server on the loopback address.
     *
     * @param url makes the client's URL of the proxy's port
     * @throws IOException if no port can be opened
     */
    static StoreWay through(int port, IntFunction<String> url) throws IOException {
        FaultProxy proxy = FaultProxy.to("127.0.0.1", port);
        return new StoreWay() {
            @Override
            public String url() {
                return url.apply(proxy.port());
            }

            @Override
            public void cut() {
                proxy.blackHole();
            }

            @Override
            public void heal() throws IOException {
                proxy.pass();
            }

            @Override
            public void close() throws IOException {
                proxy.close();
            }
        };
    }
}
