package dev.mandate.nats;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Three servers with JetStream on this machine. */
final class NatsCluster implements AutoCloseable {
    private static final int SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ANSWER_MILLIS = 5_000;

    /** Most do so in 2 s, and 7 when no leader was elected at first. */
    private static final Duration FORMED_WITHIN = Duration.ofSeconds(15);

    private static final int STARTS_MAX = 3;

    private final List<ServerProcess> servers = new ArrayList<>();

    private NatsCluster() {}

    /**
     * Three that keep streams together. With 2.10.27, after 12 of 610 first starts, the leader of the metadata never
     * heard one of the others: what that one asked for to catch up got no answer, and no write, no pool of routes and
     * no waiting changed it. Such servers are given up, and others started.
     */
    static NatsCluster start(String name) {
        ServerBinary binary = ServerBinary.named(name);
        for (int start = 1; ; start++) {
            NatsCluster cluster = new NatsCluster();
            try {
                cluster.start(binary);
                return cluster;
            } catch (AssertionError e) {
                cluster.close();
                if (start == STARTS_MAX) {
                    throw e;
                }
            } catch (RuntimeException e) {
                cluster.close();
                throw e;
            }
        }
    }

    private void start(ServerBinary binary) {
        // The first one gets the ports for all: they are chosen such that nobody else takes them meanwhile.
        ServerProcess first = start(binary, "{peer}", "{peer-1}", "{peer-2}");
        String one = Integer.toString(first.port("peer"));
        String two = Integer.toString(first.port("peer-1"));
        String three = Integer.toString(first.port("peer-2"));
        for (int i = 1; i < SERVERS; i++) {
            var unused = start(binary, one, two, three);
        }
        Await.until("a stream that three servers keep", FORMED_WITHIN, this::isFormed);
    }

    /** The next server, at its own of those ports for the others. */
    private ServerProcess start(ServerBinary binary, String... peers) {
        int number = servers.size();
        List<String> routes = new ArrayList<>();
        for (String peer : peers) {
            routes.add("nats-route://127.0.0.1:" + peer);
        }
        ServerProcess server = NatsServer.alone(ServerProcess.of(binary).ports("peer", "peer-1", "peer-2", "monitor"))
                .arguments("-m", "{monitor}")
                .arguments("-n", "s" + number, "--cluster_name", "test")
                .arguments("--cluster", "nats://127.0.0.1:" + peers[number])
                .arguments("--routes", String.join(",", routes))
                .start();
        servers.add(server);
        return server;
    }

    private boolean isFormed() {
        Options options = new Options.Builder()
                .server("nats://127.0.0.1:" + servers.get(0).port("client"))
                .noReconnect()
                .build();
        try (Connection connection = Nats.connect(options)) {
            var management = connection.jetStreamManagement();
            management.addStream(StreamConfiguration.builder()
                    .name("FORMED")
                    .subjects("formed")
                    .replicas(SERVERS)
                    .build());
            return management.deleteStream("FORMED");
        } catch (Exception e) {
            return false;
        }
    }

    List<ServerProcess> servers() {
        return servers;
    }

    /** All servers, with the parameters. */
    String url(String bucket, String parameters) {
        return "nats://"
                + String.join(
                        ",",
                        servers.stream()
                                .map(server -> "127.0.0.1:" + server.port("client"))
                                .toList())
                + "/" + bucket + parameters;
    }

    /** One of them alone. */
    String url(int server, String bucket, String parameters) {
        return NatsServer.url(servers.get(server).port("client"), bucket, parameters);
    }

    /** How many stores are connected to that server now. */
    static int stores(ServerProcess server) throws IOException {
        URI connections = URI.create("http://127.0.0.1:" + server.port("monitor") + "/connz");
        URLConnection monitor = connections.toURL().openConnection();
        monitor.setConnectTimeout(ANSWER_MILLIS);
        monitor.setReadTimeout(ANSWER_MILLIS);
        try (InputStream answer = monitor.getInputStream()) {
            String text = new String(answer.readAllBytes(), StandardCharsets.UTF_8);
            return (int) Pattern.compile("\"name\": *\"mandate\"")
                    .matcher(text)
                    .results()
                    .count();
        }
    }

    /** Who leads a bucket. */
    ServerProcess leader(String bucket) {
        return Await.value(
                "the leader of " + bucket,
                PATIENCE,
                () -> servers.stream()
                        .filter(ServerProcess::isAlive)
                        .filter(server -> ("s" + servers.indexOf(server)).equals(leader(server, bucket)))
                        .findFirst());
    }

    private static String leader(ServerProcess asked, String bucket) {
        Options options = new Options.Builder()
                .server("nats://127.0.0.1:" + asked.port("client"))
                .noReconnect()
                .build();
        try (Connection connection = Nats.connect(options)) {
            StreamInfo info = connection.jetStreamManagement().getStreamInfo("KV_" + bucket);
            return info.getClusterInfo() == null
                    ? ""
                    : String.valueOf(info.getClusterInfo().getLeader());
        } catch (Exception e) {
            return "";
        }
    }

    /** Undoes what a test left behind. */
    void mend() {
        for (ServerProcess server : servers) {
            server.thaw();
            if (!server.isAlive()) {
                server.restart();
            }
        }
    }

    @Override
    public void close() {
        servers.forEach(ServerProcess::close);
    }
}
