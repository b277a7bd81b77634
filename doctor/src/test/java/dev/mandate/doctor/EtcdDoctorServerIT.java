package dev.mandate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.Permission;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The doctor on real etcd servers. Leases are long wherever it has to find nothing. */
class EtcdDoctorServerIT {
    private static final String PASSWORD = "Canary7yrucse";
    private static final String EVERY_KEY = "\0";

    private static ServerProcess older;
    private static ServerProcess newer;
    private static ServerProcess guarded;

    @BeforeAll
    static void start() {
        older = server("etcd-3.4");
        newer = server("etcd-3.5");
        guarded = server("etcd-3.5");
        ManagedChannel channel = channel(guarded);
        AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(channel);
        role(auth, "reading", Permission.Type.READ);
        role(auth, "elections", Permission.Type.READWRITE);
        user(auth, "root", "root");
        user(auth, "reader", "reading");
        user(auth, "app", "elections");
        var unused = auth.authEnable(AuthEnableRequest.getDefaultInstance());
        channel.shutdownNow();
    }

    @AfterAll
    static void stop() {
        for (ServerProcess server : new ServerProcess[] {older, newer, guarded}) {
            if (server != null) {
                server.close();
            }
        }
    }

    private static ServerProcess server(String name) {
        return ServerProcess.of(ServerBinary.named(name))
                .ports("client", "peer", "metrics")
                .arguments("--data-dir", "{data}/etcd", "--log-level", "error")
                .arguments("--listen-client-urls", "http://127.0.0.1:{client}")
                .arguments("--advertise-client-urls", "http://127.0.0.1:{client}")
                .arguments("--listen-peer-urls", "http://127.0.0.1:{peer}")
                .arguments("--listen-metrics-urls", "http://127.0.0.1:{metrics}")
                .ready(server -> get(server, "/health").contains("true"))
                .version(server -> get(server, "/metrics")
                        .replaceAll("(?s).*etcd_server_version\\{server_version=\"([^\"]*).*", "$1"))
                .start();
    }

    private static String get(ServerProcess server, String path) {
        return ask("GET", "http://127.0.0.1:" + server.port("metrics") + path, "");
    }

    private static String ask(String method, String uri, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
                .timeout(Duration.ofSeconds(20))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            return HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ManagedChannel channel(ServerProcess server) {
        return Grpc.newChannelBuilderForAddress("127.0.0.1", server.port("client"), InsecureChannelCredentials.create())
                .build();
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

    private static void user(AuthGrpc.AuthBlockingStub auth, String name, String role) {
        if (role.equals("root")) {
            var added =
                    auth.roleAdd(AuthRoleAddRequest.newBuilder().setName(role).build());
        }
        var user = auth.userAdd(AuthUserAddRequest.newBuilder()
                .setName(name)
                .setPassword(PASSWORD)
                .build());
        var granted = auth.userGrantRole(AuthUserGrantRoleRequest.newBuilder()
                .setUser(name)
                .setRole(role)
                .build());
    }

    private static String url(ServerProcess server, String rest) {
        return "etcd://127.0.0.1:" + server.port("client") + rest;
    }

    private static String url(String user, String rest) {
        return "etcd://" + user + ":" + PASSWORD + "@127.0.0.1:" + guarded.port("client") + rest;
    }

    private static void assertNothingLeft(ServerProcess server) {
        ManagedChannel channel = channel(server);
        assertThat(KVGrpc.newBlockingStub(channel)
                        .range(RangeRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8(EVERY_KEY))
                                .setRangeEnd(ByteString.copyFromUtf8(EVERY_KEY))
                                .build())
                        .getKvsList())
                .isEmpty();
        channel.shutdownNow();
        // The stubs do not know this question.
        assertThat(ask("POST", "http://127.0.0.1:" + server.port("client") + "/v3/lease/leases", "{}"))
                .contains("header")
                .doesNotContain("\"ID\"");
    }

    @Test
    void bothVersionsAreWell() {
        Doctored.at(url(older, "?lease=60s"))
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "version", "etcd 3.4.")
                .assertSays(Severity.OK, "rights", "have no users")
                .assertSays(Severity.OK, "lease", "granted 1 min 0 s")
                .assertSays(Severity.OK, "hints", "reported changes");
        assertNothingLeft(older);
        Doctored.at(url(newer, "/below?lease=60s&format=raw"))
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "version", "etcd 3.5.")
                .assertSays(Severity.OK, "cluster", "1 member, of which 0 may fail")
                .assertSays(Severity.OK, "space", "MiB")
                .assertSays(Severity.OK, "operations", "acquiring, updating, releasing worked");
        assertNothingLeft(newer);
    }

    /** Looked for: etcd counts as we do. A short lease leaves so little time for answers that some may be late. */
    @Test
    void aLeaseRunsOutInTime() {
        Doctored.at(url(newer, "?lease=3s"), "--expiry")
                .assertSays(Severity.OK, "expiry", "a lease of 3 s", "believes that it leads for up to 2.73 s");
        assertNothingLeft(newer);
    }

    @Test
    void theDocumentedRightsAreEnough() {
        Doctored.at(url("app", "?lease=60s")).assertVerdict(Severity.OK);
    }

    @Test
    void aRightThatIsMissingIsNamed() {
        Doctored doctored = Doctored.at(url("reader", "?lease=60s"), "--prefix", "shop-")
                .assertVerdict(Severity.ERROR)
                .assertSays(
                        Severity.ERROR,
                        "operations",
                        "acquiring election/shop-",
                        "lacks rights",
                        "acquiring requires: permission readwrite /leaders/shop-")
                .assertSays(Severity.OK, "operations", "listing", "not tried: updating, releasing");
        assertThat(doctored.called().out()).doesNotContain(PASSWORD);
    }

    @Test
    void withoutAUserWhereOneIsAskedForNothingWorks() {
        Doctored.at(url(guarded, "?lease=60s"))
                .assertVerdict(Severity.ERROR)
                .assertSays(Severity.ERROR, "reachable", "authentication required");
    }

    @Test
    void aUserThatNobodyAsksForIsAWarning() {
        Doctored.at("etcd://app:" + PASSWORD + "@127.0.0.1:" + newer.port("client") + "?lease=60s")
                .assertVerdict(Severity.WARNING)
                .assertSays(Severity.WARNING, "rights", "'app'", "have no users", "etcdctl auth enable");
    }

    /** One key is one election: it is nobody's to play with, but whether it could be written can be found out. */
    @ParameterizedTest
    @ValueSource(strings = {"json", "raw"})
    void theOnlyKeyIsLetAlone(String format) {
        Doctored.at(url(newer, "?lease=60s&key=MyApp/leader&format=" + format))
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "rights", "MyApp/leader could be written")
                .assertSays(Severity.OK, "operations", "opening and renewing a session", "not touched");
        assertNothingLeft(newer);

        Doctored.at(url("reader", "?lease=60s&key=/leaders/only&format=" + format))
                .assertVerdict(Severity.ERROR)
                .assertSays(Severity.ERROR, "rights", "lacks rights", "permission readwrite ", "/leaders/only");
    }

    @Test
    void aFullDatabaseIsAnErrorAndNothingIsLeftInIt() {
        ManagedChannel channel = channel(older);
        MaintenanceGrpc.MaintenanceBlockingStub maintenance = MaintenanceGrpc.newBlockingStub(channel);
        long member = maintenance
                .alarm(alarm(AlarmRequest.AlarmAction.ACTIVATE, 0))
                .getAlarms(0)
                .getMemberID();
        try {
            Doctored.at(url(older, "?lease=60s"))
                    .assertVerdict(Severity.ERROR)
                    .assertSays(Severity.ERROR, "space", "alarm NOSPACE", "etcdctl alarm disarm");
        } finally {
            var unused = maintenance.alarm(alarm(AlarmRequest.AlarmAction.DEACTIVATE, member));
            channel.shutdownNow();
        }
        assertNothingLeft(older);
    }

    private static AlarmRequest alarm(AlarmRequest.AlarmAction action, long member) {
        return AlarmRequest.newBuilder()
                .setAlarm(AlarmType.NOSPACE)
                .setAction(action)
                .setMemberID(member)
                .build();
    }

    @Test
    void aMemberThatIsDownIsAWarning() throws Exception {
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", newer.port("client"))) {
            proxy.refuse();
            String down = "127.0.0.1:" + proxy.port();
            Doctored.at("etcd://127.0.0.1:" + newer.port("client") + "," + down + "?lease=60s")
                    .assertVerdict(Severity.WARNING)
                    .assertSays(
                            Severity.WARNING, "cluster", down + " does not answer, others do", "connection refused");
        }
    }

    /** A lease of 2 s leaves 133 ms for an answer, which takes at least 180 ms here. */
    @Test
    void answersThatTakeTooLongForTheLeaseAreAnError() throws Exception {
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", newer.port("client"))) {
            proxy.delay(Duration.ofMillis(90));
            Doctored.at("etcd://127.0.0.1:" + proxy.port() + "?lease=2s")
                    .assertVerdict(Severity.ERROR)
                    .assertSays(Severity.ERROR, "round trip", "waits 133 ms for an answer", "longer lease");
        }
        assertNothingLeft(newer);
    }

    @Test
    void aServerThatIsFrozenIsToldInOneSentence() {
        newer.freeze();
        try {
            Doctored.at(url(newer, "")).assertUnreachable("no answer");
        } finally {
            newer.thaw();
        }
    }

    @Test
    void whatIsNoEtcdIsSaidToBeNone() {
        Doctored doctored = Doctored.at("etcd://127.0.0.1:" + newer.port("metrics"));
        doctored.assertUnreachable("not etcd");
        assertThat(doctored.findings()).extracting(Finding::subject).doesNotContain("operations");
    }
}
