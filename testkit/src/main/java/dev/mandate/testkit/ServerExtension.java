package dev.mandate.testkit;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One real server for all tests of a run that use it: started for the first, stopped after the last, passed to tests
 * and {@code BeforeEach} methods as a parameter of type {@link ServerProcess}, or by {@link #server()}:
 *
 * <pre>{@code
 * class AcmeServerIT extends StoreConformance {
 *     @RegisterExtension
 *     static final ServerExtension ACME = new ServerExtension("acme", server -> server
 *             .ports("client")
 *             .arguments("--listen", "127.0.0.1:{client}", "--data", "{data}")
 *             .ready(acme -> …)
 *             .version(acme -> …));
 *
 *     @Override
 *     protected ElectionStore open() {
 *         return … ACME.server().port("client") …
 *     }
 * }
 * }</pre>
 *
 * <p>Without such a server the tests are skipped, visibly, or fail if it is demanded. A test may kill and freeze it:
 * before the next test it is thawed, or restarted with its data. Extensions of one name share one server, so give them
 * the same settings.
 */
public final class ServerExtension implements BeforeEachCallback, ParameterResolver {
    private final String name;
    private final UnaryOperator<ServerProcess.Builder> settings;
    private volatile @Nullable Shared shared;

    /**
     * @param name as in {@code testkit/servers/servers.lock}
     * @param settings what it is started with
     */
    public ServerExtension(String name, UnaryOperator<ServerProcess.Builder> settings) {
        this.name = name;
        this.settings = settings;
    }

    /** The server of a run, or why there is none. JUnit closes it after the last test. */
    private static final class Shared implements AutoCloseable {
        private final ServerBinary binary;
        private @Nullable ServerProcess server;
        private @Nullable AssertionError failure;

        Shared(String name) {
            this.binary = ServerBinary.named(name);
        }

        synchronized ServerProcess server(UnaryOperator<ServerProcess.Builder> settings) {
            if (failure != null) {
                throw new AssertionError("server " + binary.name() + " did not start for an earlier test", failure);
            }
            if (server == null) {
                ServerProcess.Builder builder = settings.apply(ServerProcess.of(binary));
                try {
                    server = builder.start();
                } catch (AssertionError e) {
                    failure = e;
                    throw e;
                }
            }
            return server;
        }

        @Override
        public synchronized void close() {
            if (server != null) {
                server.close();
            }
        }
    }

    /**
     * The server.
     *
     * @throws IllegalStateException if no test that has this extension has begun
     */
    public ServerProcess server() {
        @Nullable Shared found = shared;
        if (found == null) {
            throw new IllegalStateException("server " + name + " is there from the first BeforeEach on");
        }
        return found.server(settings);
    }

    private ServerProcess server(ExtensionContext context) {
        shared = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(ServerExtension.class))
                .computeIfAbsent(name, key -> new Shared(name), Shared.class);
        return server();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        server(context).recover();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ServerProcess.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return server(context);
    }
}
