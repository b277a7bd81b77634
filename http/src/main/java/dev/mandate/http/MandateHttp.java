package dev.mandate.http;

import dev.mandate.ElectionClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.EnumSet;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Serves who leads what: a page at {@code /}, JSON and server-sent events below {@code /v1}, {@code /healthz}. {@code
 * /v1/openapi.json} and {@code docs/discovery.md} describe all paths.
 *
 * <pre>{@code
 * try (ElectionClient client = ElectionClient.builder(url).create(false).connect();
 *         MandateHttp http = MandateHttp.serve(client, HttpOptions.DEFAULTS)) {
 *     System.out.println(http.uri());
 *     doWhatThisProgramIsFor();
 * }
 * }</pre>
 *
 * <p>Serves only this machine unless there is a token; see {@link HttpOptions}. Follows three prefixes of the store
 * once, and answers all requests from memory. Limits: 256 connections, 200 event streams, 8 KiB of headers, no request
 * body. Clients slower than 10 s are cut off.
 *
 * <p>Safe for use from many threads. All threads are daemons.
 */
public final class MandateHttp implements AutoCloseable {
    /** The longest request line with headers, in bytes. */
    public static final int HEADER_BYTES = 8 * 1024;

    private static final int THREADS_MAX = 16;
    /** A last resort: slow clients are cut off before. */
    private static final long IDLE_MILLIS = 15_000;

    private static final UriCompliance NAMES = new UriCompliance(
            "names",
            // A name may hold anything, so we split paths into segments, never normalize them, and refuse malformed
            // ones.
            EnumSet.complementOf(EnumSet.of(Violation.USER_INFO, Violation.FRAGMENT)));

    private final Server server;
    private final Endpoints endpoints;
    private final URI uri;

    private MandateHttp(Server server, Endpoints endpoints, URI uri) {
        this.server = server;
        this.endpoints = endpoints;
        this.uri = uri;
    }

    /**
     * Starts to serve what is in the client's store. Returns once it listens; answers are 503 until the first listing
     * is done. Uses the client, which {@link #close()} leaves open; writes nothing to its store.
     *
     * @throws IllegalArgumentException if the address is beyond loopback and there is no token, or the address or the
     *     token is invalid; says what to give instead
     * @throws IOException if it cannot listen there; names address and port
     * @throws IllegalStateException if the client is closed
     */
    public static MandateHttp serve(ElectionClient client, HttpOptions options) throws IOException {
        InetAddress address = options.resolve();
        Token token = options.openToken();
        if (token == null && !address.isLoopbackAddress()) {
            throw new IllegalArgumentException("the address " + options.address()
                    + " can be reached from other machines, and there is no token; set one (16 characters or more), or"
                    + " listen on 127.0.0.1");
        }
        QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX, 4);
        threads.setName("mandate-http");
        threads.setDaemon(true);
        Server server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        configure(http);
        Endpoints endpoints = endpoints(client, options, token);
        ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        connector.setHost(address.getHostAddress());
        connector.setPort(options.port());
        connector.setIdleTimeout(IDLE_MILLIS);
        connector.addBean(endpoints.peers());
        server.addConnector(connector);
        server.setHandler(endpoints);
        server.setErrorHandler(new Errors());
        server.setStopTimeout(0);
        start(server, options);
        return new MandateHttp(server, endpoints, uri(address, connector.getLocalPort()));
    }

    private static Endpoints endpoints(ElectionClient client, HttpOptions options, @Nullable Token token) {
        return new Endpoints(
                client, token, options.probed().stream().map(client::election).toList());
    }

    private static void start(Server server, HttpOptions options) throws IOException {
        try {
            server.start();
        } catch (Throwable e) {
            stop(server);
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (e instanceof IOException) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                throw new IOException(
                        "cannot listen on " + options.address() + ", port " + options.port() + " (" + cause.getMessage()
                                + "); give another port, or 0 for any that is free",
                        e);
            }
            if (e instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (e instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("the server did not start", e);
        }
    }

    private static URI uri(InetAddress address, int port) {
        String host = address.getHostAddress();
        return URI.create(
                "http://" + (host.contains(":") ? "[" + host.replaceAll("%.*", "") + "]" : host) + ":" + port + "/");
    }

    /**
     * The same as a handler for a Jetty server that the program already has. That server's limits apply instead of
     * ours: connections, header size, time to read a request. Follows the store from its start to its stop. Ignores the
     * address and port of the options. Without a token it serves only requests that come over loopback and name a
     * loopback host.
     *
     * <p>For HTTP/1.1 connectors. Over HTTP/2 many requests share a connection, and slow readers are not cut off.
     *
     * <p>Give the connector a {@linkplain #configure configuration} that accepts names with a {@code /}.
     *
     * @throws IllegalArgumentException if the token is invalid; says what to give instead
     */
    public static Handler handler(ElectionClient client, HttpOptions options) {
        return endpoints(client, options, options.openToken());
    }

    /** Configures a connector as {@link #serve} does: names with any character, 8 KiB of headers, no server version. */
    public static void configure(HttpConfiguration http) {
        http.setUriCompliance(NAMES);
        http.setRequestHeaderSize(HEADER_BYTES);
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setMaxUnconsumedRequestContentReads(1);
    }

    /** Where it listens: {@code http://127.0.0.1:7480/}. */
    public URI uri() {
        return uri;
    }

    /** The number of open event streams, mostly of pages. */
    public int streams() {
        return endpoints.streams();
    }

    /** Ends all streams, closes all connections and stops following. Idempotent; does not throw. */
    @Override
    public void close() {
        stop(server);
    }

    private static void stop(Server server) {
        // Jetty would not wait for its own threads to end if this one were interrupted.
        boolean interrupted = Thread.interrupted();
        try {
            server.stop();
        } catch (Throwable e) {
            interrupted |= e instanceof InterruptedException;
            Worker.warn("the server did not stop cleanly", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
