package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Certificates;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers that ask who we are, in each way there is, and speak TLS. */
@Execution(ExecutionMode.CONCURRENT)
class NatsCredentialsServerIT {
    private static final String CANARY = "Canary7yrucse";
    static final String RIGHTS =
            "{\"type\":\"user\",\"version\":2,\"pub\":{},\"sub\":{},\"subs\":-1,\"data\":-1,\"payload\":-1}";
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final RecordKey JOBS = RecordKey.election("jobs");

    @TempDir
    Path folder;

    @BeforeEach
    void require() {
        ServerBinary.named(NatsServer.V215).require();
    }

    private static ServerProcess start(String... arguments) {
        return NatsServer.alone(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                .arguments(arguments)
                .start();
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private static String url(ServerProcess server, String user, String parameters) {
        return "nats://" + user + "127.0.0.1:" + server.port("client") + "/" + NatsUrl.BUCKET + "?" + parameters;
    }

    private static void works(String url) {
        try (StoreClient user = NatsServer.client(url, Duration.ofSeconds(5))) {
            Observation.Held held = user.lead(JOBS);
            assertThat(user.readHeld(JOBS).basis()).isEqualTo(held.basis());
            user.release(held);
        }
    }

    private static void refused(String url, String... words) {
        refused(StoreSetupException.class, url, words);
    }

    private static void refused(Class<? extends ElectionException> type, String url, String... words) {
        assertThatExceptionOfType(type)
                .isThrownBy(() -> {
                    try (ElectionStore store = NatsServer.open(url)) {
                        StoreClient.answer(store.read(RecordKey.PROBE, CallContext.within(Duration.ofSeconds(3))));
                    }
                })
                .withMessageContainingAll(words)
                .withMessageNotContaining(CANARY);
    }

    @Test
    void aUserWithAPassword() throws Exception {
        Path password = file("password", CANARY + "\n");
        try (ServerProcess server = start("--user", "app", "--pass", CANARY)) {
            works(url(server, "app:" + CANARY + "@", ""));
            works(url(server, "app@", "passwordFile=" + password));
            refused(url(server, "app:" + CANARY + "x@", ""), "refuses this user", "Authorization Violation");
            // Told at once, so that opening hears of it from both.
            String both = "127.0.0.1:" + server.port("client") + ",localhost:" + server.port("client");
            refused("nats://app:" + CANARY + "x@" + both + "/B", "refuses this user");
            refused(url(server, "", ""), "authentication required", "credsFile");
        }
    }

    @Test
    void aToken() throws Exception {
        Path token = file("token", CANARY + "\n");
        try (ServerProcess server = start("--auth", CANARY)) {
            works(url(server, "", "tokenFile=" + token));
            refused(url(server, "", "tokenFile=" + file("other", CANARY + "x")), "refuses this user");
        }
    }

    @Test
    void anNKey() throws Exception {
        Jwt user = new Jwt(NKey.USER);
        Path config = file("server.conf", "authorization { users = [ { nkey: " + user.name() + " } ] }\n");
        try (ServerProcess server = start("-c", config.toString())) {
            works(url(server, "", "nkeyFile=" + file("user.nk", user.seed() + "\n")));
            refused(url(server, "", "nkeyFile=" + file("other.nk", new Jwt(NKey.USER).seed())), "refuses this user");
        }
    }

    /** A server of these, without a resolver. */
    static String accounts(Jwt operator, Jwt system, Jwt account) {
        String limits = "{\"type\":\"account\",\"version\":2,\"limits\":{\"subs\":-1,\"data\":-1,\"payload\":-1,"
                + "\"imports\":-1,\"exports\":-1,\"wildcards\":true,\"conn\":-1,\"leaf\":-1,\"mem_storage\":-1,"
                + "\"disk_storage\":-1,\"streams\":-1,\"consumer\":-1}}";
        return "operator: " + operator.sign(operator, "{\"type\":\"operator\",\"version\":2}") + "\n"
                + "system_account: " + system.name() + "\nresolver: MEMORY\nresolver_preload: {\n"
                + system.name() + ": " + operator.sign(system, limits.replace("_storage\":-1", "_storage\":0")) + "\n"
                + account.name() + ": " + operator.sign(account, limits) + "\n}\n";
    }

    @Test
    void aCredsFile() throws Exception {
        Jwt operator = new Jwt(Jwt.OPERATOR);
        Jwt system = new Jwt(Jwt.ACCOUNT);
        Jwt account = new Jwt(Jwt.ACCOUNT);
        Jwt user = new Jwt(NKey.USER);
        String config = accounts(operator, system, account);
        String creds = user.creds(account.sign(user, RIGHTS));
        try (ServerProcess server = start("-c", file("server.conf", config).toString())) {
            Path file = file("app.creds", creds);
            works(url(server, "", "credsFile=" + file));
            String stranger = user.creds(new Jwt(Jwt.ACCOUNT).sign(user, RIGHTS));
            refused(url(server, "", "credsFile=" + file("stranger.creds", stranger)), "refuses this user");
            contextWorks(
                    server, "{\"url\":\"nats://127.0.0.1:" + server.port("client") + "\",\"creds\":\"" + file + "\"}");
        }
    }

    private void contextWorks(ServerProcess server, String content) throws IOException {
        Path contexts = Files.createDirectories(folder.resolve("config/nats/context"));
        Files.writeString(contexts.resolve("test.json"), content);
        Files.writeString(folder.resolve("config/nats/context.txt"), "test");
        Map<String, String> environment =
                Map.of("XDG_CONFIG_HOME", folder.resolve("config").toString());
        for (String url : new String[] {"nats:///ELECTIONS?context=test", "nats:?context="}) {
            try (ElectionStore store = NatsElectionStore.open(NatsUrl.settings(StoreUrl.parse(url), environment))) {
                assertThat(StoreClient.answer(store.read(JOBS, StoreClient.call())))
                        .isNotNull();
            }
        }
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void rightsThatAreMissingAreNamed() throws Exception {
        Path config = file(
                "server.conf",
                "authorization { users = [\n"
                        + "{ user: all, password: x },\n"
                        + "{ user: reader, password: x, permissions: { subscribe: \"_INBOX.>\", publish: [\"$JS.API.>\"] } },\n"
                        + "{ user: nothing, password: x, permissions: { publish: \"none\", subscribe: \"_INBOX.>\" } }\n"
                        + "] }\n");
        try (ServerProcess server = start("-c", config.toString())) {
            works(url(server, "all:x@", ""));
            refused(url(server, "nothing:x@", ""), "lacks rights", "docs/stores/nats.md");
            try (StoreClient user = NatsServer.client(url(server, "reader:x@", ""), Duration.ofSeconds(5))) {
                Observation vacant = user.read(JOBS);
                assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> StoreClient.answer(
                                user.send(JOBS, vacant, user.proposal("value"), Duration.ofSeconds(1))))
                        .withMessageContainingAll("acquiring election/jobs", "lacks rights", "$KV.ELECTIONS.jobs");
            }
        }
    }

    /** No watch is a nuisance, not a fault: whoever asks for one is told. */
    @Test
    void aWatchThatIsNotAllowedSaysSo() throws Exception {
        Path config = file(
                "server.conf",
                "authorization { users = [\n"
                        + "{ user: all, password: x },\n"
                        + "{ user: blind, password: x, permissions: { subscribe: \"_INBOX.>\","
                        + " publish: [\"$JS.API.STREAM.>\", \"$KV.>\"] } },\n"
                        + "{ user: half, password: x, permissions: { subscribe: \"_INBOX.*.*\" } },\n"
                        + "{ user: deaf, password: x, permissions: { subscribe: \"none\" } }\n"
                        + "] }\n");
        try (ServerProcess server = start("-c", config.toString())) {
            works(url(server, "all:x@", ""));
            refused(url(server, "deaf:x@", ""), "lacks rights", "_INBOX.");
            tellsWhyItIsOver(url(server, "blind:x@", ""), "CONSUMER.CREATE");
            String half = url(server, "half:x@", "");
            tellsWhyItIsOver(half, "_INBOX.");
            try (StoreClient user = NatsServer.client(half, LEASE);
                    Subscription watch = user.store().watch(RecordKey.elections(), hint -> {})) {
                assertThat(watch).isNotNull();
                Observation.Held held = user.lead(JOBS);
                server.freeze();
                // What the watch may not have has nothing to do with it.
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> StoreClient.answer(
                                user.store().read(JOBS, CallContext.within(Duration.ofMillis(500)))));
                server.thaw();
                assertThat(held.term()).isPositive();
            }
        }
    }

    private static void tellsWhyItIsOver(String url, String subject) {
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        try (StoreClient user = NatsServer.client(url, LEASE);
                Subscription watch = user.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            Hint.Closed over = Await.value(
                    "the end of the watch",
                    Duration.ofSeconds(30),
                    () -> hints.stream()
                            .filter(Hint.Closed.class::isInstance)
                            .map(Hint.Closed.class::cast)
                            .findFirst());
            assertThat(over.reason()).contains("watching election", "lacks rights", subject, "docs/stores/nats.md");
            assertThat(user.lead(JOBS).term()).isPositive();
            user.release(user.readHeld(JOBS));
        }
    }

    @Test
    void bothSidesShowTheirCertificates() throws Exception {
        Certificates certificates = new Certificates(folder)
                .sign("server", "-ext", "san=ip:127.0.0.1")
                .sign("elsewhere", "-ext", "san=dns:elsewhere.example")
                .sign("client");
        String ca = "caFile=" + certificates.certificate("ca");
        String mutual =
                ca + "&certFile=" + certificates.certificate("client") + "&keyFile=" + certificates.key("client");
        try (ServerProcess server = start(tls(certificates, "server", "--tlsverify"))) {
            works(secure(server, mutual));
            refused(ElectionException.class, secure(server, ca), "NATS 127.0.0.1");
            refused(secure(server, ""), "TLS handshake failed", "caFile");
            refused(url(server, "", ""), "speaks TLS", "write tls:");
        }
        try (ServerProcess server = start(tls(certificates, "elsewhere", "--tls"))) {
            refused(secure(server, ca), "TLS handshake failed");
        }
        try (ServerProcess server = start()) {
            refused(secure(server, ca), "does not speak TLS", "write nats:");
        }
    }

    private static String secure(ServerProcess server, String parameters) {
        return url(server, "", parameters).replace("nats://", "tls://");
    }

    private static String[] tls(Certificates certificates, String name, String more) {
        return new String[] {
            more,
            "--tlscert",
            certificates.certificate(name).toString(),
            "--tlskey",
            certificates.key(name).toString(),
            "--tlscacert",
            certificates.certificate("ca").toString()
        };
    }
}
