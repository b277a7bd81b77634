package dev.mandate.etcd;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Real servers of one member each. */
final class EtcdServer {
    static final String V34 = "etcd-3.4";
    static final String V35 = "etcd-3.5";
    private static final Duration ANSWER = Duration.ofSeconds(20);

    /**
     * The lock of tests: many share the servers in peace, one alone may freeze them, fill them or raise their alarms.
     */
    static final String PEACE = "peace on the shared etcd servers";

    private EtcdServer() {}

    /** One for all tests of a run. */
    static ServerExtension shared(String name) {
        return new ServerExtension(name, EtcdServer::member);
    }

    /** One for one test. */
    static ServerProcess alone(String name) {
        return member(ServerProcess.of(ServerBinary.named(name))).start();
    }

    static ServerProcess.Builder member(ServerProcess.Builder builder) {
        return settings(builder.ports("client"))
                .arguments("--listen-client-urls", "http://127.0.0.1:{client}")
                .arguments("--advertise-client-urls", "http://127.0.0.1:{client}");
    }

    /** Without the addresses for clients. */
    static ServerProcess.Builder settings(ServerProcess.Builder builder) {
        return builder.ports("peer", "metrics")
                .arguments("--data-dir", "{data}/etcd", "--log-level", "warn")
                .arguments("--listen-metrics-urls", "http://127.0.0.1:{metrics}")
                .arguments("--listen-peer-urls", "http://127.0.0.1:{peer}")
                .ready(server -> get(server, "/health").contains("true"))
                .version(EtcdServer::version);
    }

    /** Known before it serves. */
    static String version(ServerProcess server) throws Exception {
        return get(server, "/metrics").replaceAll("(?s).*etcd_server_version\\{server_version=\"([^\"]*).*", "$1");
    }

    /** Whether that line stands in its metrics, which no user is needed for. No, if it does not answer. */
    static boolean says(ServerProcess server, String line) throws InterruptedException {
        try {
            return get(server, "/metrics").lines().anyMatch(line::equals);
        } catch (IOException e) {
            return false;
        }
    }

    private static String get(ServerProcess server, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.port("metrics") + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).timeout(ANSWER).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    static String url(int port) {
        return "etcd://127.0.0.1:" + port;
    }

    static ElectionStore open(String url) {
        return new EtcdStoreProvider().open(StoreUrl.parse(url));
    }

    static StoreClient client(String url) {
        return new StoreClient(open(url));
    }
}
