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
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.Permission;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that knows users, whose tokens live for two seconds. Its tests are side by side. */
abstract class EtcdAuthScenarios {
    static final int TOKEN_SECONDS = 2;
    static final String PASSWORD = "Canary7yrucse";
    static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    @TempDir
    Path folder;

    /** Started for all tests of a class by {@link #start}. */
    abstract ServerProcess server();

    /** A server with users and rights. */
    static ServerProcess start(String... tokens) {
        ServerProcess server = EtcdServer.member(ServerProcess.of(ServerBinary.named(EtcdServer.V35))
                        // How long passwords take to compare is not what is tested.
                        .arguments("--bcrypt-cost", "4")
                        .arguments(tokens))
                .start();
        try {
            enable(server);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** From now on it knows users. */
    static void enable(ServerProcess server) {
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

    private String url(String user) {
        return url(user, server().port("client"));
    }

    static String url(String user, int port) {
        return "etcd://" + login(user) + "127.0.0.1:" + port;
    }

    /** What stands before the host. */
    static String login(String user) {
        return user + ":" + PASSWORD + "@";
    }

    private static void refused(String url, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> {
                    try (ElectionStore store = EtcdServer.open(url)) {
                        StoreClient.answer(store.read(RecordKey.PROBE, CallContext.within(Duration.ofSeconds(5))));
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
        String url = "etcd://app@127.0.0.1:" + server().port("client") + "?lease=10s&passwordFile=" + file;
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
                    .filteredOn(leader -> leader.election().equals("invoices"))
                    .singleElement()
                    .satisfies(leader -> assertThat(leader.value()).isEqualTo("y"));
        }
    }

    @Test
    void anExpiredTokenIsReplaced() {
        try (StoreClient client = EtcdServer.client(url("app"))) {
            Observation.Held held = client.lead(StoreClient.key("expired"));

            Await.passing(Duration.ofSeconds(5));

            assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    /** A token may tell of the rights at the time when it was given: any change of them makes it worthless. */
    @Test
    void aTokenFromBeforeAChangeOfRightsIsReplaced() {
        try (StoreClient client = EtcdServer.client(url("app"));
                Operator operator = new Operator(server().port("client"))) {
            Observation.Held held = client.lead(StoreClient.key("changed"));

            user(asRoot(operator), StoreClient.key("another").name(), "");
            assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            user(asRoot(operator), StoreClient.key("another").name(), "");
            assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Written.class);
            user(asRoot(operator), StoreClient.key("another").name(), "");
            assertThat(client.readHeld(held.key()).record().value()).isEqualTo("value+");
        }
    }

    static AuthGrpc.AuthBlockingStub asRoot(Operator operator) {
        AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(operator.channel);
        Metadata headers = new Metadata();
        headers.put(
                TOKEN,
                auth.authenticate(AuthenticateRequest.newBuilder()
                                .setName("root")
                                .setPassword(PASSWORD)
                                .build())
                        .getToken());
        return auth.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    @Test
    void aWatchIsOpenedAgainWithANewToken() throws Exception {
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (FaultProxy network = FaultProxy.to("127.0.0.1", server().port("client"));
                StoreClient watcher = EtcdServer.client(url("app", network.port()));
                StoreClient client = EtcdServer.client(url("app"));
                Subscription watch = watcher.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            RecordKey before = StoreClient.key("before");
            Await.until("the watch", PATIENCE, () -> {
                client.release(client.lead(before));
                return !hints.isEmpty();
            });

            Await.passing(Duration.ofSeconds(5));
            network.reset();
            RecordKey after = StoreClient.key("after");
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
                "etcd://app:" + PASSWORD + "x@127.0.0.1:" + server().port("client"),
                "the server refuses this user or password");
        refused(url("stranger"), "the server refuses this user or password");
    }

    @Test
    void withoutAUserTheServerAsksForOne() {
        refused(EtcdServer.url(server().port("client")), "authentication required", "passwordFile");
    }

    @Test
    void withoutRightsItIsSaidWhichAreNeeded() {
        refused(url("nobody"), "lacks rights", "readwrite", "docs/stores/etcd.md");
    }

    @Test
    void whoMayOnlyReadIsToldWhenItWrites() {
        try (StoreClient client = EtcdServer.client(url("reader"))) {
            RecordKey key = StoreClient.key("read-only");
            Observation vacant = client.read(key);

            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> client.acquire(key, vacant))
                    .withMessageContaining("lacks rights");
        }
    }
}
