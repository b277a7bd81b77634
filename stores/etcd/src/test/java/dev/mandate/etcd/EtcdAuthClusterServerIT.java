package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.HangingFile;
import dev.mandate.testkit.Rotation;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.RangeResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Three members with users. Each forgets tokens that it has not seen for seven seconds, and no leader means no new
 * ones.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("etcd cluster with users")
class EtcdAuthClusterServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static EtcdCluster cluster;

    @BeforeAll
    static void start() {
        // They elect faster than usual: a lease of 15 s has 6 s left when the next renewal is due.
        cluster = EtcdCluster.start(
                EtcdServer.V35, "--auth-token-ttl", "7", "--heartbeat-interval", "50", "--election-timeout", "500");
        EtcdAuthScenarios.enable(cluster.members().get(0));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aLeaderOfTheClusterThatDiesEndsNoTerm() throws InterruptedException {
        diesUnderItsClient(true);
    }

    @Test
    void aFollowerThatDiesEndsNoTerm() throws InterruptedException {
        diesUnderItsClient(false);
    }

    /** Without a leader of the cluster a member gives no token, and takes those that it has seen lately. */
    @Test
    void everyRenewalKeepsTheTokensOfAllMembers() {
        List<ServerProcess> members = cluster.members();
        EtcdSettings settings =
                EtcdUrl.settings(StoreUrl.parse(cluster.url(EtcdAuthScenarios.login("app"), members, "")));
        EtcdConnection connection = new EtcdConnection(settings);
        Layout layout = new Layout(settings.keys(), false, lease -> null);
        try {
            long lease = answer(connection.call(
                            "opening a lease",
                            LeaseGrpc.getLeaseGrantMethod(),
                            LeaseGrantRequest.newBuilder().setTTL(60).build(),
                            CallContext.within(PATIENCE)))
                    .getID();
            EtcdSession session = new EtcdSession(connection, layout, lease, Duration.ofSeconds(60));
            for (int second = 0; second < 10; second++) {
                answer(session.renew(CallContext.within(PATIENCE)));
                Await.passing(Duration.ofSeconds(1));
            }
            members.get(0).kill();
            members.get(1).kill();

            Endpoints.Member last = connection.members().get(2);
            assertThat(answer(connection.call(
                                    last,
                                    "looking",
                                    KVGrpc.getRangeMethod(),
                                    layout.look(false),
                                    CallContext.within(Duration.ofSeconds(3))))
                            .getCount())
                    .isZero();
        } finally {
            connection.close();
            members.get(0).restart();
            members.get(1).restart();
            awaitLeader();
        }
    }

    /** One member has forgotten its token, and the file to log in with hangs: renewals get theirs from the others. */
    @Test
    void aPasswordFileThatHangsHoldsUpOnlyWhoNeedsIt(@TempDir Path folder) throws Exception {
        List<ServerProcess> members = cluster.members();
        Path file = Rotation.write(folder.resolve("password"), EtcdAuthScenarios.PASSWORD + "\n");
        FaultProxy network = FaultProxy.to("127.0.0.1", members.get(2).port("client"));
        EtcdSettings settings = EtcdUrl.settings(
                StoreUrl.parse("etcd://app@127.0.0.1:" + members.get(0).port("client") + ",127.0.0.1:"
                        + members.get(1).port("client") + ",127.0.0.1:" + network.port() + "?passwordFile=" + file));
        EtcdConnection connection = new EtcdConnection(settings);
        Layout layout = new Layout(settings.keys(), false, lease -> null);
        try (network;
                HangingFile hanging = new HangingFile(file)) {
            long lease = answer(connection.call(
                            "opening a lease",
                            LeaseGrpc.getLeaseGrantMethod(),
                            LeaseGrantRequest.newBuilder().setTTL(60).build(),
                            CallContext.within(PATIENCE)))
                    .getID();
            EtcdSession session = new EtcdSession(connection, layout, lease, Duration.ofSeconds(60));
            answer(session.renew(CallContext.within(PATIENCE)));
            Endpoints.Member last = connection.members().get(2);
            answer(look(connection, layout, last));
            hanging.begin();
            network.refuse();
            network.reset();
            // Until it has forgotten the token that nobody shows it; the others see theirs.
            for (int second = 0; second < 10; second++) {
                renewed(session);
                Await.passing(Duration.ofSeconds(1));
            }
            network.pass();

            Await.until("the file to be read", PATIENCE, () -> {
                renewed(session);
                return hanging.isRead();
            });
            for (int i = 0; i < 3; i++) {
                answer(session.renew(CallContext.within(Duration.ofSeconds(5))));
            }

            hanging.end(EtcdAuthScenarios.PASSWORD);
            Await.until("the member's answer", PATIENCE, () -> renewed(look(connection, layout, last)));
        } finally {
            connection.close();
        }
    }

    private static CompletionStage<RangeResponse> look(
            EtcdConnection connection, Layout layout, Endpoints.Member member) {
        return connection.call(
                member,
                "looking",
                KVGrpc.getRangeMethod(),
                layout.look(false),
                CallContext.within(Duration.ofSeconds(5)));
    }

    private static boolean renewed(EtcdSession session) {
        return renewed(session.renew(CallContext.within(Duration.ofSeconds(5))));
    }

    private static boolean renewed(CompletionStage<?> call) {
        try {
            answer(call);
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return StoreClient.answer(stage);
    }

    private static Optional<ServerProcess> member(boolean leads) throws InterruptedException {
        for (ServerProcess member : cluster.members()) {
            if (EtcdServer.says(member, "etcd_server_is_leader " + (leads ? 1 : 0))
                    && EtcdServer.says(member, "etcd_server_has_leader 1")) {
                return Optional.of(member);
            }
        }
        return Optional.empty();
    }

    private static void diesUnderItsClient(boolean leads) throws InterruptedException {
        ServerProcess victim =
                Await.value(leads ? "the leader of the cluster" : "a follower", PATIENCE, () -> member(leads));
        String url = cluster.url(EtcdAuthScenarios.login("app"), cluster.from(victim), "?lease=15s");
        try (ElectionClient client = ElectionClient.connect(url);
                Leadership term =
                        client.election(StoreClient.key("guarded").name()).campaign("x")) {
            // Elsewhere tokens that nobody shows are forgotten by then.
            Await.passing(Duration.ofSeconds(10));

            victim.kill();
            Await.passing(Duration.ofSeconds(12));

            assertThat(term.isValid()).isTrue();
        } finally {
            victim.restart();
            awaitLeader();
        }
    }

    private static void awaitLeader() {
        for (ServerProcess member : cluster.members()) {
            Await.until(
                    member + " to know a leader", PATIENCE, () -> EtcdServer.says(member, "etcd_server_has_leader 1"));
        }
    }
}
