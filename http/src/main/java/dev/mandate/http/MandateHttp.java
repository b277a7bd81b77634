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
 * Serves who leads what: a page at {@code /}, JSON and server-sent events below {@code /v1}, {@code /healthz}. What is
 * where is said by {@code /v1/openapi.json} and {@code docs/discovery.md}.
 *
 * <pre>{@code
 * try (ElectionClient client = ElectionClient.at(url).create(false).connect();
 *         MandateHttp http = MandateHttp.serve(client, HttpOptions.DEFAULTS)) {
 *     System.out.println(http.uri());
 *     doWhatThisProgramIsFor();
 * }
 * }</pre>
 *
 * <p>Serves this machine alone, unless there is a token: see {@link HttpOptions}. Follows three prefixes of the store,
 * once, and answers everybody from memory. At most 256 connections and 200 streams of events are open; a request has at
 * most 8 KiB of headers and no body; whoever is slower than 10 s is cut off.
 *
 * <p>Safe for use from many threads. All threads are daemons.
 */
public final class MandateHttp implements AutoCloseable {
    /** The longest request line with headers, in bytes. */
    public static final int HEADER_BYTES = 8 * 1024;

    private static final int THREADS_MAX = 16;
    /** Those who are too slow are cut off before: this is for what nobody thought of. */
    private static final long IDLE_MILLIS = 15_000;

    private static final UriCompliance NAMES = new UriCompliance(
            "names",
            // A name may hold anything: paths are taken apart here, segment by segment, never normalized, and what is
            // malformed is refused here, too.
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
     * Begins to serve what is in the client's store. Returns when it listens; what there is is listed meanwhile, and
     * until then answers are 503. The client is used, and left open by {@link #close()}; nothing is written to its store.
     *
     * @throws IllegalArgumentException if the address is beyond loopback and there is no token, or the address or the
     *     token will not do; says what to give instead
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
        } catch (Exception e) {
            stop(server);
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
            throw new IllegalStateException("the server did not start", e);
        }
    }

    private static URI uri(InetAddress address, int port) {
        String host = address.getHostAddress();
        return URI.create(
                "http://" + (host.contains(":") ? "[" + host.replaceAll("%.*", "") + "]" : host) + ":" + port + "/");
    }

    /**
     * The same as a handler for a Jetty server that a program has already, with its limits in place of ours: connections,
     * size of headers, patience while a request is read. It follows the store from when it is started until it is stopped.
     * Address and port of the options mean nothing here. Without a token it serves those alone who come over loopback and
     * call the server by a loopback name.
     *
     * <p>It is for connectors of HTTP/1.1. Over HTTP/2 many requests share a connection, and whoever reads slowly there
     * is not cut off.
     *
     * <p>Give the connector a {@linkplain #configure configuration} that lets names with a {@code /} pass.
     *
     * @throws IllegalArgumentException if the token will not do; says what to give instead
     */
    public static Handler handler(ElectionClient client, HttpOptions options) {
        return endpoints(client, options, options.openToken());
    }

    /** Configures a connector as {@link #serve} does: names with any characters, 8 KiB of headers, no version told. */
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

    /** How many streams of events are open: pages, most of the time. */
    public int streams() {
        return endpoints.streams();
    }

    /** Ends all streams, closes all connections and follows nothing any more. Idempotent; does not throw. */
    @Override
    public void close() {
        stop(server);
    }

    private static void stop(Server server) {
        try {
            server.stop();
        } catch (Exception e) {
            System.getLogger("dev.mandate.http").log(System.Logger.Level.WARNING, "the server did not stop cleanly", e);
        }
    }
}
