package dev.mandate.etcd;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Three members on this machine. */
final class EtcdCluster implements AutoCloseable {
    private static final int MEMBERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<ServerProcess> members = new ArrayList<>();

    private EtcdCluster() {}

    static EtcdCluster start(String name) throws IOException {
        EtcdCluster cluster = new EtcdCluster();
        List<String> peers = peers();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < MEMBERS; i++) {
            all.append(i == 0 ? "" : ",").append("m").append(i).append('=').append(peers.get(i));
        }
        ServerBinary binary = ServerBinary.named(name);
        try {
            for (int i = 0; i < MEMBERS; i++) {
                cluster.members.add(EtcdServer.member(ServerProcess.of(binary))
                        .arguments("--name", "m" + i, "--initial-cluster", all.toString())
                        .arguments("--listen-peer-urls", peers.get(i))
                        .arguments("--initial-advertise-peer-urls", peers.get(i))
                        // One alone never serves: that all do is waited for below.
                        .ready(server -> EtcdServer.version(server).startsWith("3."))
                        .start());
            }
            cluster.awaitAll();
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private static List<String> peers() throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < MEMBERS; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream()
                    .map(socket -> "http://127.0.0.1:" + socket.getLocalPort())
                    .toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    /** All members, with the parameters. */
    String url(String parameters) {
        return "etcd://"
                + String.join(
                        ",",
                        members.stream()
                                .map(member -> "127.0.0.1:" + member.port("client"))
                                .toList())
                + parameters;
    }

    List<ServerProcess> members() {
        return members;
    }

    void awaitAll() {
        for (ServerProcess member : members) {
            Await.until(
                    member + " to know a leader",
                    PATIENCE,
                    () -> status(member)
                            .filter(status -> status.getLeader() != 0)
                            .isPresent());
        }
    }

    ServerProcess leader() {
        return Await.value(
                "the leader of the cluster",
                PATIENCE,
                () -> members.stream()
                        .filter(member -> status(member)
                                .filter(status ->
                                        status.getLeader() == status.getHeader().getMemberId())
                                .isPresent())
                        .findFirst());
    }

    ServerProcess follower() {
        ServerProcess leader = leader();
        return members.stream().filter(member -> member != leader).findFirst().orElseThrow();
    }

    private static Optional<StatusResponse> status(ServerProcess member) {
        try (Operator operator = new Operator(member.port("client"))) {
            return Optional.of(operator.maintenance().status(StatusRequest.getDefaultInstance()));
        } catch (io.grpc.StatusRuntimeException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        members.forEach(ServerProcess::close);
    }
}
