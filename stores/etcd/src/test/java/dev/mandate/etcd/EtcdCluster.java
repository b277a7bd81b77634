package dev.mandate.etcd;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import io.etcd.jetcd.api.MoveLeaderRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Three members on this machine. */
final class EtcdCluster implements AutoCloseable {
    private static final int MEMBERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<ServerProcess> members = new ArrayList<>();

    /** What URLs of it have to say. */
    private final String accepted;

    private final String[] arguments;

    private EtcdCluster(String accepted, String... arguments) {
        this.accepted = accepted;
        this.arguments = arguments;
    }

    static EtcdCluster start(String name, String... arguments) {
        EtcdCluster cluster = new EtcdCluster(name.equals(EtcdServer.V34) ? "staleLeader=accept" : "", arguments);
        ServerBinary binary = ServerBinary.named(name);
        try {
            // The first one gets the ports for all: they are chosen such that nobody else takes them while a member is
            // down.
            ServerProcess first = cluster.start(
                    binary, "http://127.0.0.1:{peer}", "http://127.0.0.1:{peer-1}", "http://127.0.0.1:{peer-2}");
            String one = "http://127.0.0.1:" + first.port("peer");
            String two = "http://127.0.0.1:" + first.port("peer-1");
            String three = "http://127.0.0.1:" + first.port("peer-2");
            for (int i = 1; i < MEMBERS; i++) {
                var unused = cluster.start(binary, one, two, three);
            }
            cluster.awaitAll();
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** The next member, at its own of those addresses. */
    private ServerProcess start(ServerBinary binary, String... peers) {
        int number = members.size();
        String all = "m0=" + peers[0] + ",m1=" + peers[1] + ",m2=" + peers[2];
        ServerProcess member = EtcdServer.member(ServerProcess.of(binary).ports("peer-1", "peer-2"))
                .arguments(arguments)
                .arguments("--name", "m" + number, "--initial-cluster", all)
                .arguments("--listen-peer-urls", peers[number])
                .arguments("--initial-advertise-peer-urls", peers[number])
                // One alone never serves: that all do is waited for afterwards.
                .ready(server -> EtcdServer.version(server).startsWith("3."))
                .start();
        members.add(member);
        return member;
    }

    /** All members, with the parameters. */
    String url(String parameters) {
        return url("", members, parameters);
    }

    /** Those members in that order, as that user ({@code name:password@}). */
    String url(String user, List<ServerProcess> named, String parameters) {
        String hosts = named.stream()
                .map(member -> "127.0.0.1:" + member.port("client"))
                .collect(Collectors.joining(","));
        String more = accepted.isEmpty() ? "" : (parameters.isEmpty() ? "?" : "&") + accepted;
        return "etcd://" + user + hosts + parameters + more;
    }

    /** All members, beginning with that one. */
    List<ServerProcess> from(ServerProcess first) {
        List<ServerProcess> ordered = new ArrayList<>(members);
        Collections.rotate(ordered, -members.indexOf(first));
        return ordered;
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

    /** What a member is called in the cluster. It has to answer. */
    static long id(ServerProcess member) {
        return Await.value(
                "the id of " + member,
                PATIENCE,
                () -> status(member).map(status -> status.getHeader().getMemberId()));
    }

    /** Whom that member, which has to answer, knows as the leader of the cluster; 0 for nobody. */
    static long leaderKnownTo(ServerProcess asked) {
        return Await.value(
                "whom " + asked + " follows", PATIENCE, () -> status(asked).map(StatusResponse::getLeader));
    }

    /** Makes that member the leader of the cluster. */
    void lead(ServerProcess next) {
        ServerProcess former = leader();
        if (former == next) {
            return;
        }
        long id = id(next);
        try (Operator operator = new Operator(former.port("client"))) {
            var unused = operator.maintenance()
                    .moveLeader(MoveLeaderRequest.newBuilder().setTargetID(id).build());
        }
        Await.until(next + " to lead the cluster", PATIENCE, () -> leaderKnownTo(next) == id);
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
