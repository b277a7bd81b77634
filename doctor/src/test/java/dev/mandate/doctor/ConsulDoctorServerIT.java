package dev.mandate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mandate.console.Called;
import dev.mandate.console.ExitCode;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The doctor on a real Consul. Leases are long wherever it has to find nothing. */
class ConsulDoctorServerIT {
    private static final String MASTER = "11111111-2222-3333-4444-555555555555";
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String READ = "key_prefix \"service/\" { policy = \"read\" }";
    private static final String WRITE = "key_prefix \"service/\" { policy = \"write\" }";
    private static final String SESSIONS = "session_prefix \"\" { policy = \"write\" }";

    private static ServerProcess open;
    private static ServerProcess guarded;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        open = server().start();
        guarded = server().arguments("-hcl=acl { enabled = true default_policy = \"deny\" tokens { master = \"" + MASTER
                        + "\" agent = \"" + MASTER + "\" } }")
                .ready(server -> token(server, READ).matches("[0-9a-f-]{36}"))
                .start();
        awaitHealth();
    }

    /** Consul watches a server for some time before it takes it for healthy. */
    private static void awaitHealth() {
        Await.until(
                "Consul to be well",
                PATIENCE,
                () -> ask(open, "GET", "/v1/operator/autopilot/health", "").matches("(?s)\\{\\s*\"Healthy\": *true.*"));
    }

    @AfterAll
    static void stop() {
        for (ServerProcess server : new ServerProcess[] {open, guarded}) {
            if (server != null) {
                server.close();
            }
        }
    }

    private static ServerProcess.Builder server() {
        return ServerProcess.of(ServerBinary.named("consul"))
                .ports("http", "server", "serf-lan", "serf-wan")
                .arguments("agent", "-dev", "-bind=127.0.0.1", "-client=127.0.0.1", "-ui=false", "-log-level=err")
                .arguments("-http-port={http}", "-server-port={server}")
                .arguments("-serf-lan-port={serf-lan}", "-serf-wan-port={serf-wan}")
                .arguments("-dns-port=-1", "-grpc-port=-1")
                .ready(server -> ask(server, "PUT", "/v1/kv/service/ready", "x").contains("true"))
                .version(server -> ask(server, "GET", "/v1/agent/self", "")
                        .replaceAll("(?s).*\"Version\": *\"([^\"]+)\".*", "$1"));
    }

    private static String ask(ServerProcess server, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port("http") + path))
                .timeout(Duration.ofSeconds(20))
                .header("X-Consul-Token", server == open ? "" : MASTER)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static String token(ServerProcess server, String rules) throws IOException, InterruptedException {
        String name = "p" + System.nanoTime();
        String escaped = rules.replace("\"", "\\\"");
        String policy =
                ask(server, "PUT", "/v1/acl/policy", "{\"Name\":\"" + name + "\",\"Rules\":\"" + escaped + "\"}");
        assertThat(policy).isNotEmpty();
        return ask(server, "PUT", "/v1/acl/token", "{\"Policies\":[{\"Name\":\"" + name + "\"}]}")
                .replaceAll("(?s).*\"SecretID\": *\"([^\"]+)\".*", "$1");
    }

    /** With a new token that may do this. */
    private Doctored guarded(String rules, String parameters) throws Exception {
        String token = token(guarded, rules);
        Path file = Files.writeString(folder.resolve("token"), token);
        Doctored doctored =
                Doctored.at("consul://127.0.0.1:" + guarded.port("http") + "?lease=60s&tokenFile=" + file + parameters);
        assertThat(doctored.called().out() + doctored.called().err()).doesNotContain(token);
        return doctored;
    }

    private static String url(String parameters) {
        return "consul://127.0.0.1:" + open.port("http") + "?" + parameters;
    }

    private static void assertNothingLeft(ServerProcess server) throws Exception {
        assertThat(ask(server, "GET", "/v1/kv/?keys", "").replaceAll("\\s|\"service/ready\"", ""))
                .isEqualTo("[]");
        assertThat(ask(server, "GET", "/v1/session/list", "").strip()).isEqualTo("[]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "raw"})
    void aConsulThatIsWellIsSaidToBe(String format) throws Exception {
        Doctored.at(url("lease=60s&lock-delay=1s&format=" + format))
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "version", "Consul 1.", "a server agent in datacenter dc1")
                .assertSays(Severity.OK, "cluster", "1 server, of which 0 may fail")
                .assertSays(Severity.OK, "cluster", "is the servers' leader")
                .assertSays(Severity.OK, "rights", "has no ACLs")
                .assertSays(Severity.OK, "lock-delay", "lock-delay 1000 ms, lease 60000 ms")
                .assertSays(Severity.OK, "hints", "reported changes")
                .assertSays(Severity.OK, "operations", "acquiring, updating, releasing worked");
        assertNothingLeft(open);
    }

    @Test
    void theDocumentedRightsAreEnough() throws Exception {
        guarded(WRITE + SESSIONS, "")
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "version", "this token may not read it")
                .assertSays(Severity.OK, "rights", "checks ACLs", "accessor");
        assertNothingLeft(guarded);
    }

    @Test
    void rightsThatAreMissingAreNamed() throws Exception {
        guarded(READ, "")
                .assertVerdict(Severity.ERROR)
                .assertSays(
                        Severity.ERROR, "operations", "opening a session", "session_prefix \"\" { policy = \"write\" }")
                .assertSays(Severity.OK, "operations", "listing worked", "not tried: reading, acquiring, updating");
        guarded(READ + SESSIONS, "")
                .assertVerdict(Severity.ERROR)
                .assertSays(
                        Severity.ERROR,
                        "operations",
                        "acquiring",
                        "key \"service/mandate-doctor-",
                        "/leader\" { policy = \"write\" }");
        assertNothingLeft(guarded);
    }

    @Test
    void theOnlyKeyIsLetAlone() throws Exception {
        Doctored.at(url("lease=60s&key=MyApp/leader&format=raw"))
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "rights", "MyApp/leader could be written")
                .assertSays(Severity.OK, "operations", "not touched");
        guarded(READ + SESSIONS, "&key=service/only")
                .assertVerdict(Severity.ERROR)
                .assertSays(Severity.ERROR, "rights", "key \"service/only\" { policy = \"write\" }");
        assertNothingLeft(open);
    }

    @Test
    void aTokenThatNobodyAsksForIsAWarning() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), MASTER);
        Doctored.at(url("lease=60s&tokenFile=" + file))
                .assertVerdict(Severity.WARNING)
                .assertSays(Severity.WARNING, "rights", "a token is given", "has no ACLs");
    }

    @Test
    void anAgentThatIsFrozenIsToldInOneSentence() {
        open.freeze();
        try {
            Doctored.at(url("lease=10s")).assertUnreachable("no answer in time");
        } finally {
            open.thaw();
            awaitHealth();
        }
    }

    /** Its page is no answer, and no hint at rights helps there. */
    @Test
    void anotherHttpServerIsNoConsul() throws Exception {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            byte[] page = "<!DOCTYPE html><html>not here</html>".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(404, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        other.start();
        try {
            Doctored doctored =
                    Doctored.at("consul://127.0.0.1:" + other.getAddress().getPort() + "?lease=60s");
            doctored.assertUnreachable("not Consul");
            assertThat(doctored.sentences(Severity.ERROR)).noneMatch(said -> said.contains("policy"));
        } finally {
            other.stop(0);
        }
    }

    /** No hint at rights, which would not help. */
    @Test
    void checksThatTheLockDelayDoesNotCoverAreBadInput() {
        Called.with(Doctored.PROGRAM, Map.of(), "doctor", url("lease=60s&lock-delay=1s&checks=serfHealth"))
                .assertRefused(ExitCode.BAD_INPUT, "lock-delay is 1000 ms", "the lease 60000 ms");
    }

    @Test
    void checksThatNobodyHasAreAnError() {
        Doctored doctored = Doctored.at(url("lease=60s&lock-delay=60s&checks=none"))
                .assertVerdict(Severity.ERROR)
                .assertSays(Severity.ERROR, "operations", "opening a session", "'checks'");
        assertThat(doctored.sentences(Severity.ERROR)).noneMatch(said -> said.contains("session_prefix"));
    }
}
