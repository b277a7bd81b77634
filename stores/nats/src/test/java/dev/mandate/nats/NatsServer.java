package dev.mandate.nats;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Real servers with JetStream, one each. */
final class NatsServer {
    static final String V29 = "nats-2.9";
    static final String V210 = "nats-2.10";
    static final String V215 = "nats-2.15";

    private static final int ANSWER_MILLIS = 5_000;

    private NatsServer() {}

    /** One for all tests of a run. */
    static ServerExtension shared(String name) {
        return new ServerExtension(name, NatsServer::alone);
    }

    static ServerProcess.Builder alone(ServerProcess.Builder builder) {
        return plain(builder).arguments("-js", "-sd", "{data}/js");
    }

    /** Without JetStream. */
    static ServerProcess.Builder plain(ServerProcess.Builder builder) {
        return builder.ports("client")
                .arguments("-a", "127.0.0.1", "-p", "{client}")
                .ready(server -> info(server.port("client")).startsWith("INFO {"))
                .version(server -> version(server.port("client")));
    }

    static String version(int port) throws IOException {
        return info(port).replaceAll(".*\"version\":\"([^\"]*)\".*", "$1");
    }

    /** What a server says of itself to whoever connects. */
    static String info(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(ANSWER_MILLIS);
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            return line == null ? "" : line;
        }
    }

    /** A bucket of its own, made by who opens the URL. */
    static String url(int port, String parameters) {
        return url(port, bucket(), parameters);
    }

    static String url(int port, String bucket, String parameters) {
        return "nats://127.0.0.1:" + port + "/" + bucket + parameters;
    }

    static ElectionStore open(String url) {
        return new NatsStoreProvider().open(StoreUrl.parse(url));
    }

    /** For a client that asks for this lease, but of which the store was not told. */
    static StoreClient client(String url, Duration lease) {
        return new StoreClient(open(url), lease);
    }

    /** A name that no other test has. */
    static String bucket() {
        return "B" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
    }
}
