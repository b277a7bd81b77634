package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.Permission;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that knows users, whose tokens live for two seconds. */
class EtcdAuthServerIT {
    private static final String PASSWORD = "Canary7yrucse";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static ServerProcess server;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        server = EtcdServer.member(
                        ServerProcess.of(ServerBinary.named(EtcdServer.V35)).arguments("--auth-token-ttl", "2"))
                .start();
        try (Operator operator = new Operator(server.port("client"))) {
            AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(operator.channel);
            user(auth, "root", "root");
            role(auth, "elections", Permission.Type.READWRITE);
            user(auth, "app", "elections");
            role(auth, "looking", Permission.Type.READ);
            user(auth, "reader", "looking");
            user(auth, "nobody", "");
            var unused = auth.authEnable(AuthEnableRequest.getDefaultInstance());
        }
    }

    private static void user(AuthGrpc.AuthBlockingStub auth, String name, String role) {
        var unused = auth.userAdd(AuthUserAddRequest.newBuilder()
                .setName(name)
                .setPassword(PASSWORD)
                .build());
        if (role.equals("root")) {
            var added =
                    auth.roleAdd(AuthRoleAddRequest.newBuilder().setName("root").build());
        }
        if (!role.isEmpty()) {
            var granted = auth.userGrantRole(AuthUserGrantRoleRequest.newBuilder()
                    .setUser(name)
                    .setRole(role)
                    .build());
        }
    }

    /** As {@code etcdctl role grant-permission NAME TYPE --prefix /leaders/}. */
    private static void role(AuthGrpc.AuthBlockingStub auth, String name, Permission.Type type) {
        var added = auth.roleAdd(AuthRoleAddRequest.newBuilder().setName(name).build());
        var granted = auth.roleGrantPermission(AuthRoleGrantPermissionRequest.newBuilder()
                .setName(name)
                .setPerm(Permission.newBuilder()
                        .setPermType(type)
                        .setKey(ByteString.copyFromUtf8("/leaders/"))
                        .setRangeEnd(ByteString.copyFromUtf8("/leaders0")))
                .build());
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static String url(String user) {
        return url(user, server.port("client"));
    }

    private static String url(String user, int port) {
        return "etcd://" + user + ":" + PASSWORD + "@127.0.0.1:" + port;
    }

    private static void refused(String url, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> {
                    try (ElectionStore store = Client.open(url)) {
                        Client.answer(store.read(RecordKey.PROBE, CallContext.within(Duration.ofSeconds(5))));
                    }
                })
                .withMessageContainingAll(words)
                .satisfies(failure -> {
                    StringWriter everything = new StringWriter();
                    failure.printStackTrace(new PrintWriter(everything));
                    assertThat(everything.toString()).doesNotContain(PASSWORD);
                });
    }

    @Test
    void aUserWithTheRightsToItsKeysLeads() throws Exception {
        Path file = Files.writeString(folder.resolve("password"), PASSWORD + "\n");
        String url = "etcd://app@127.0.0.1:" + server.port("client") + "?lease=10s&passwordFile=" + file;
        try (ElectionClient client = ElectionClient.connect(url);
                Leadership term = client.election("invoices").campaign("x")) {
            // Longer than a token lives.
            Await.passing(Duration.ofSeconds(5));
            assertThat(term.isValid()).isTrue();
            Await.until("the new value", PATIENCE, () -> {
                try {
                    term.proclaim("y");
                    return true;
                } catch (StoreUnavailableException e) {
                    // The new token took longer than the answer may.
                    return false;
                }
            });
            assertThat(client.leaders("", 10))
                    .singleElement()
                    .satisfies(leader -> assertThat(leader.value()).isEqualTo("y"));
        }
    }

    @Test
    void anExpiredTokenIsReplaced() {
        try (Client client = new Client(url("app"))) {
            Observation.Held held = client.lead(Client.key("expired"));

            Await.passing(Duration.ofSeconds(5));

            assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    @Test
    void aWatchIsOpenedAgainWithANewToken() throws Exception {
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (FaultProxy network = FaultProxy.to("127.0.0.1", server.port("client"));
                Client watcher = new Client(url("app", network.port()));
                Client client = new Client(url("app"));
                Subscription watch = watcher.store.watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            RecordKey before = Client.key("before");
            Await.until("the watch", PATIENCE, () -> {
                client.release(client.lead(before));
                return !hints.isEmpty();
            });

            Await.passing(Duration.ofSeconds(5));
            network.reset();
            RecordKey after = Client.key("after");
            client.lead(after);

            Await.until(
                    "a hint of " + after,
                    PATIENCE,
                    () -> hints.stream()
                            .anyMatch(hint -> hint instanceof Hint.Seen seen
                                    && seen.observation().key().equals(after)));
        }
    }

    @Test
    void aWrongPasswordIsRefusedAndNeverShown() {
        refused(
                "etcd://app:" + PASSWORD + "x@127.0.0.1:" + server.port("client"),
                "the server refuses this user or password");
        refused(url("stranger"), "the server refuses this user or password");
    }

    @Test
    void withoutAUserTheServerAsksForOne() {
        refused(EtcdServer.url(server.port("client")), "the server asks for a user", "passwordFile");
    }

    @Test
    void withoutRightsItIsSaidWhichAreNeeded() {
        refused(url("nobody"), "lacks rights", "readwrite", "docs/stores/etcd.md");
    }

    @Test
    void whoMayOnlyReadIsToldWhenItWrites() {
        try (Client client = new Client(url("reader"))) {
            RecordKey key = Client.key("read-only");
            Observation vacant = client.read(key);

            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> client.acquire(key, vacant))
                    .withMessageContaining("lacks rights");
        }
    }
}
