package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.testkit.Await;
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
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is served of real servers: a take-over shows in a stream of events, and an outage in every answer. */
class ServeServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

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
        watchATakeOver(ETCD.server(), "etcd://127.0.0.1:" + ETCD.server().port("client") + "?lease=3s");
    }

    @Test
    void aTakeOverOnNatsShows() throws Exception {
        watchATakeOver(NATS.server(), "nats://127.0.0.1:" + NATS.server().port("client") + "/SERVE?lease=3s");
    }

    private static void watchATakeOver(ServerProcess server, String store) throws Exception {
        try (ElectionClient one = ElectionClient.at(store).candidate("one").connect();
                ElectionClient two = ElectionClient.at(store).candidate("two").connect();
                ElectionClient looking = ElectionClient.at(store).create(false).connect();
                MandateHttp http = MandateHttp.serve(looking, HttpOptions.DEFAULTS.withPort(0));
                Leadership first = one.election("in/voices").campaign("http://10.0.0.1/");
                Registration registration = one.registry().register("web", ServiceInstance.at("10.0.0.1:80"))) {
            URI uri = http.uri();
            awaitBody(uri.resolve("/v1/elections/in%2Fvoices"), 200, "\"candidate\":\"one\"");
            BlockingQueue<String> events = follow(uri);
            await(events, "snapshot", "\"candidate\":\"one\"");

            first.resign();
            try (Leadership second = two.election("in/voices").campaign("http://10.0.0.2/")) {
                await(events, "elections", "\"candidate\":\"two\"");
                String takeOver = await(events, "takeOver", "\"candidate\":\"two\"");
                assertThat(takeOver)
                        .contains("\"election\":\"in/voices\"", "\"candidate\":\"one\"")
                        .contains("\"token\":" + first.fencingToken().value())
                        .contains("\"token\":" + second.fencingToken().value());
                awaitBody(uri.resolve("/v1/services/web"), 200, "10.0.0.1:80");
                HttpResponse<String> redirect = get(uri.resolve("/v1/elections/in%2Fvoices/leader"));
                assertThat(redirect.statusCode()).isEqualTo(307);
                assertThat(redirect.headers().firstValue("location")).hasValue("http://10.0.0.2/");

                server.freeze();
                awaitBody(uri.resolve("/v1/elections/in%2Fvoices"), 503, "\"state\":\"unknown\"");
                await(events, "health", "\"stale\":true");
                awaitBody(uri.resolve("/v1/services"), 503, "\"stale\":true");
                server.thaw();

                await(events, "health", "\"stale\":false");
                awaitBody(uri.resolve("/healthz"), 200, "\"stale\":false");
            }
            registration.close();
        }
    }

    private static HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void awaitBody(URI uri, int status, String text) {
        Await.until(status + " and " + text + " at " + uri, PATIENCE, () -> {
            HttpResponse<String> answer = get(uri);
            return answer.statusCode() == status && answer.body().contains(text);
        });
    }

    /** The lines of a stream of events, as they come. */
    private static BlockingQueue<String> follow(URI uri) {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        var unused = HTTP.sendAsync(
                        HttpRequest.newBuilder(uri.resolve("/v1/events")).build(), HttpResponse.BodyHandlers.ofLines())
                .thenAcceptAsync(answer -> answer.body().forEach(lines::add));
        return lines;
    }

    /** The data of the next event of that name with that text in it. */
    private static String await(BlockingQueue<String> lines, String event, String text) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String name = "";
        while (true) {
            String line = lines.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            assertThat(line).as(event + " with " + text).isNotNull();
            if (line.startsWith("event: ")) {
                name = line.substring("event: ".length());
            } else if (line.startsWith("data: ") && name.equals(event) && line.contains(text)) {
                return line;
            }
        }
    }

    @Test
    void bothAreServedByTheCommand() {
        for (String store : List.of(
                "etcd://127.0.0.1:" + ETCD.server().port("client"),
                "nats://127.0.0.1:" + NATS.server().port("client") + "/SERVED")) {
            ElectionClient.connect(store).close();
            assertThat(Called.with(
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
