package dev.mandate.consul;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A real Consul, and an operator who asks it by hand. */
final class ConsulServer {
    static final String NAME = "consul";

    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final HttpClient OPERATOR =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private ConsulServer() {}

    /** One for all tests of a run, in memory. */
    static ServerExtension extension() {
        return new ServerExtension(NAME, ConsulServer::dev);
    }

    /** One in memory. */
    static ServerProcess.Builder dev(ServerProcess.Builder server) {
        return common(server.arguments("agent", "-dev"));
    }

    /** One that keeps its data. */
    static ServerProcess.Builder durable() {
        return common(ServerProcess.of(ServerBinary.named(NAME))
                .arguments("agent", "-server", "-bootstrap-expect=1", "-data-dir={data}/consul")
                // As fast as it can elect itself.
                .arguments("-hcl=performance { raft_multiplier = 1 }"));
    }

    /** One of three, which is ready before they have a leader. */
    static ServerProcess.Builder oneOfThree(String node) {
        return common(ServerProcess.of(ServerBinary.named(NAME))
                        .arguments("agent", "-server", "-bootstrap-expect=3", "-data-dir={data}/consul")
                        .arguments("-node=" + node, "-retry-interval=1s")
                        .arguments("-hcl=performance { raft_multiplier = 1 }"))
                .ready(consul -> get(consul, "/v1/agent/self").contains("Version"));
    }

    private static ServerProcess.Builder common(ServerProcess.Builder server) {
        return server.ports("http", "server", "serf-lan", "serf-wan")
                .arguments("-bind=127.0.0.1", "-client=127.0.0.1", "-ui=false", "-log-level=warn")
                .arguments("-http-port={http}", "-server-port={server}")
                .arguments("-serf-lan-port={serf-lan}", "-serf-wan-port={serf-wan}")
                .arguments("-dns-port=-1", "-grpc-port=-1")
                .arguments("-hcl=leave_on_terminate = false")
                // Many candidates from one address.
                .arguments("-hcl=limits { http_max_conns_per_client = 2000 }")
                .ready(consul -> put(consul, "/v1/session/create", "{\"TTL\":\"10s\",\"Checks\":[]}")
                        .contains("ID"))
                .version(
                        consul -> get(consul, "/v1/agent/self").replaceAll("(?s).*\"Version\": *\"([^\"]+)\".*", "$1"));
    }

    static String url(int port, String parameters) {
        return "consul://127.0.0.1:" + port + (parameters.isEmpty() ? "" : "?" + parameters);
    }

    static ElectionStore open(int port, String parameters) {
        return new ConsulStoreProvider().open(StoreUrl.parse(url(port, parameters)));
    }

    static String get(ServerProcess consul, String path) throws IOException, InterruptedException {
        return send(request(consul, path).GET().build()).body();
    }

    static String put(ServerProcess consul, String path, String body) throws IOException, InterruptedException {
        return send(request(consul, path)
                        .PUT(HttpRequest.BodyPublishers.ofString(body))
                        .build())
                .body();
    }

    static String delete(ServerProcess consul, String path) throws IOException, InterruptedException {
        return send(request(consul, path).DELETE().build()).body();
    }

    static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return OPERATOR.send(request, HttpResponse.BodyHandlers.ofString());
    }

    static HttpRequest.Builder request(ServerProcess consul, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + consul.port("http") + path))
                .timeout(ANSWER);
    }

    /** Opens a session as any program would, and returns its id. */
    static String session(ServerProcess consul, String ttl, String lockDelay) throws IOException, InterruptedException {
        String answer = put(
                consul,
                "/v1/session/create",
                "{\"Name\":\"another program\",\"TTL\":\"" + ttl + "\",\"LockDelay\":\"" + lockDelay
                        + "\",\"Checks\":[]}");
        return answer.replaceAll("(?s).*\"ID\": *\"([^\"]+)\".*", "$1");
    }
}
