package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.console.Called;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is served of real servers: a take-over shows in a stream of events, and an outage in every answer. */
class ServeServerIT {
    @RegisterExtension
    static final ServerExtension ETCD = new ServerExtension("etcd-3.5", ServeServerIT::etcd);

    @RegisterExtension
    static final ServerExtension NATS = new ServerExtension("nats-2.15", ServeServerIT::nats);

    private static ServerProcess.Builder etcd(ServerProcess.Builder builder) {
        return builder.ports("client", "peer", "metrics")
                .arguments("--data-dir", "{data}/etcd", "--log-level", "error")
                .arguments("--listen-client-urls", "http://127.0.0.1:{client}")
                .arguments("--advertise-client-urls", "http://127.0.0.1:{client}")
                .arguments("--listen-peer-urls", "http://127.0.0.1:{peer}")
                .arguments("--listen-metrics-urls", "http://127.0.0.1:{metrics}")
                .ready(server -> metrics(server, "/health").contains("true"))
                .version(server -> metrics(server, "/metrics")
                        .replaceAll("(?s).*etcd_server_version\\{server_version=\"([^\"]*).*", "$1"));
    }

    private static String metrics(ServerProcess server, String path) {
        try (InputStream in = URI.create("http://127.0.0.1:" + server.port("metrics") + path)
                .toURL()
                .openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerProcess.Builder nats(ServerProcess.Builder builder) {
        return builder.ports("client")
                .arguments("-a", "127.0.0.1", "-p", "{client}", "-js", "-sd", "{data}/js")
                .ready(server -> hello(server).startsWith("INFO {"))
                .version(server -> hello(server).replaceAll(".*\"version\":\"([^\"]*)\".*", "$1"));
    }

    private static String hello(ServerProcess server) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("client"))) {
            socket.setSoTimeout(20_000);
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            return line == null ? "" : line;
        }
    }

    @Test
    void aTakeOverOnEtcdShows() throws Exception {
        watch(ETCD.server(), "etcd://127.0.0.1:" + ETCD.server().port("client") + "?lease=3s");
    }

    @Test
    void aTakeOverOnNatsShows() throws Exception {
        watch(NATS.server(), "nats://127.0.0.1:" + NATS.server().port("client") + "/SERVE?lease=3s");
    }

    private static void watch(ServerProcess server, String store) throws Exception {
        ServedTakeOver.watch(store, Duration.ofSeconds(3), server::freeze, server::thaw);
    }

    @Test
    void bothAreServedByTheCommand() {
        for (String store : List.of(
                "etcd://127.0.0.1:" + ETCD.server().port("client"),
                "nats://127.0.0.1:" + NATS.server().port("client") + "/SERVED")) {
            ElectionClient.connect(store).close();
            assertThat(Called.with(
                                    Main.PROGRAM,
                                    java.util.Map.of("PATH", System.getenv("PATH")),
                                    "serve",
                                    "--port",
                                    "0",
                                    "--for",
                                    "200ms",
                                    store)
                            .assertDone()
                            .out())
                    .startsWith("http://127.0.0.1:");
        }
    }
}
