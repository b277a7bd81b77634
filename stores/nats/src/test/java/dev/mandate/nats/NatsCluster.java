package dev.mandate.nats;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Three servers with JetStream on this machine. */
final class NatsCluster implements AutoCloseable {
    private static final int SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<ServerProcess> servers = new ArrayList<>();

    private NatsCluster() {}

    static NatsCluster start(String name) {
        NatsCluster cluster = new NatsCluster();
        ServerBinary binary = ServerBinary.named(name);
        try {
            // The first one gets the ports for all: they are chosen such that nobody else takes them meanwhile.
            ServerProcess first = cluster.start(binary, "{peer}", "{peer-1}", "{peer-2}");
            String one = Integer.toString(first.port("peer"));
            String two = Integer.toString(first.port("peer-1"));
            String three = Integer.toString(first.port("peer-2"));
            for (int i = 1; i < SERVERS; i++) {
                var unused = cluster.start(binary, one, two, three);
            }
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** The next server, at its own of those ports for the others. */
    private ServerProcess start(ServerBinary binary, String... peers) {
        int number = servers.size();
        List<String> routes = new ArrayList<>();
        for (String peer : peers) {
            routes.add("nats-route://127.0.0.1:" + peer);
        }
        ServerProcess server = NatsServer.alone(ServerProcess.of(binary).ports("peer", "peer-1", "peer-2"))
                .arguments("-n", "s" + number, "--cluster_name", "test")
                .arguments("--cluster", "nats://127.0.0.1:" + peers[number])
                .arguments("--routes", String.join(",", routes))
                .start();
        servers.add(server);
        return server;
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
