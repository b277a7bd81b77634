package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** On a real etcd, asked by its JSON gateway. */
class ServerProcessIT {
    private static final Duration PLENTY = Duration.ofSeconds(60);
    private static final String NAME = "etcd-3.4";

    @RegisterExtension
    static final ServerExtension ETCD = new ServerExtension(NAME, ServerProcessIT::etcd);

    private static ServerProcess.Builder etcd(ServerProcess.Builder builder) {
        return builder.ports("client", "peer")
                .arguments("--data-dir", "{data}/etcd")
                .arguments("--listen-client-urls", "http://127.0.0.1:{client}")
                .arguments("--advertise-client-urls", "http://127.0.0.1:{client}")
                .arguments("--listen-peer-urls", "http://127.0.0.1:{peer}")
                .ready(server -> get(server, "/health", PLENTY).contains("true"))
                .version(server -> get(server, "/version", PLENTY).replaceAll(".*etcdserver\":\"([^\"]*).*", "$1"));
    }

    private static String get(ServerProcess server, String path, Duration atMost) throws Exception {
        return send(server, HttpRequest.newBuilder(uri(server, path)).timeout(atMost));
    }

    private static String post(ServerProcess server, String path, String body) throws Exception {
        return send(
                server,
                HttpRequest.newBuilder(uri(server, path))
                        .timeout(PLENTY)
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static URI uri(ServerProcess server, String path) {
        return URI.create("http://127.0.0.1:" + server.port("client") + path);
    }

    private static String send(ServerProcess server, HttpRequest.Builder request) throws Exception {
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode())
                .as("%s of %s", response.body(), server)
                .isEqualTo(200);
        return response.body();
    }

    /** Key and value are in base 64. */
    private static void put(ServerProcess server) throws Exception {
        post(server, "/v3/kv/put", "{\"key\":\"YQ==\",\"value\":\"Yg==\"}");
    }

    private static boolean has(ServerProcess server) throws Exception {
        return post(server, "/v3/kv/range", "{\"key\":\"YQ==\"}").contains("Yg==");
    }

    @Test
    void itServesOnPortsOfItsOwnAndSaysItsVersion(ServerProcess shared) throws Exception {
        assertThat(shared).isSameAs(ETCD.server());
        assertThat(shared.version()).startsWith("3.4.");
        assertThat(shared.log()).anyMatch(line -> line.contains("etcd Version: " + shared.version()));
        try (ServerProcess other =
                etcd(ServerProcess.of(ServerBinary.named(NAME))).start()) {
            put(other);

            assertThat(has(other)).isTrue();
            assertThat(has(shared)).isFalse();
            assertThat(List.of(other.port("client"), other.port("peer")))
                    .doesNotContain(shared.port("client"), shared.port("peer"))
                    .doesNotHaveDuplicates();
            assertThatThrownBy(() -> other.port("web"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("web", "client, peer");
        }
    }

    @Test
    void aKilledOneComesBackOnItsPortsWithItsData() throws Exception {
        try (ServerProcess etcd =
                etcd(ServerProcess.of(ServerBinary.named(NAME))).start()) {
            int port = etcd.port("client");
            long first = etcd.pid();
            put(etcd);

            etcd.kill();

            assertThat(etcd.isAlive()).isFalse();
            assertThatThrownBy(() -> has(etcd)).isInstanceOf(IOException.class);
            etcd.restart();
            assertThat(etcd.pid()).isNotEqualTo(first);
            assertThat(etcd.port("client")).isEqualTo(port);
            assertThat(has(etcd)).isTrue();

            etcd.restartWithoutData();

            assertThat(etcd.port("client")).isEqualTo(port);
            assertThat(has(etcd)).isFalse();
        }
    }

    @Test
    void aFrozenOneAnswersOnlyAfterItIsThawed(ServerProcess etcd) throws Exception {
        etcd.freeze();

        assertThat(etcd.isAlive()).isTrue();
        assertThatThrownBy(() -> get(etcd, "/version", Duration.ofMillis(300)))
                .isInstanceOf(HttpTimeoutException.class);
        etcd.thaw();
        assertThat(get(etcd, "/version", PLENTY)).contains(etcd.version());
    }

    @Test
    void whatATestLeftBehindIsUndone() throws Exception {
        ServerProcess etcd = ETCD.server();
        put(etcd);
        etcd.kill();
        etcd.recover();
        assertThat(has(etcd)).isTrue();
        etcd.freeze();
        etcd.recover();
        assertThat(has(etcd)).isTrue();
        etcd.restartWithoutData();
    }

    @Test
    void closeLeavesNothing() {
        ServerProcess etcd = etcd(ServerProcess.of(ServerBinary.named(NAME))).start();
        ProcessHandle process = ProcessHandle.of(etcd.pid()).orElseThrow();
        etcd.freeze();

        etcd.close();
        etcd.close();

        assertThat(process.isAlive()).isFalse();
        assertThat(etcd.data()).doesNotExist();
        assertThatThrownBy(etcd::restart)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    /** Starts a server; ends, or waits to be killed. */
    static final class Owner {
        public static void main(String[] arguments) throws IOException {
            ServerProcess etcd =
                    etcd(ServerProcess.of(ServerBinary.named(NAME))).start();
            System.out.println("server " + etcd.pid() + " " + etcd.data());
            System.in.read();
        }
    }

    private static CandidateProcess owner(Path temporary) {
        return CandidateProcess.java(Owner.class)
                .environment("MANDATE_SERVERS_FETCH", "never")
                .environment("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary)
                .start();
    }

    @Test
    void itDiesWithATestThatIsKilled(@TempDir Path temporary) throws IOException {
        Assumptions.assumeTrue(
                ServerFixture.program(List.of("setpriv")).isPresent(),
                "no setpriv on the PATH; apt install util-linux");
        try (CandidateProcess owner = owner(temporary)) {
            String[] line = owner.await("its server", PLENTY, l -> l.startsWith("server"))
                    .split(" ");
            ProcessHandle server = ProcessHandle.of(Long.parseLong(line[1])).orElseThrow();
            assertThat(server.isAlive()).isTrue();
            assertThat(Path.of(line[2])).startsWith(temporary.toRealPath()).isDirectory();

            owner.kill();

            Await.until("the server's end", PLENTY, () -> !server.isAlive());
        }
    }

    @Test
    void itEndsWithATestThatForgetsIt(@TempDir Path temporary) {
        try (CandidateProcess owner = owner(temporary)) {
            String[] line = owner.await("its server", PLENTY, l -> l.startsWith("server"))
                    .split(" ");
            ProcessHandle server = ProcessHandle.of(Long.parseLong(line[1])).orElseThrow();

            owner.send("");

            assertThat(owner.awaitExit(PLENTY)).isZero();
            assertThat(server.isAlive()).isFalse();
            assertThat(Path.of(line[2])).doesNotExist();
        }
    }

    @Test
    void oneThatDoesNotStartShowsItsLog() {
        assertThatThrownBy(() -> etcd(ServerProcess.of(ServerBinary.named(NAME)))
                        .arguments("--no-such-flag")
                        .start())
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(NAME, "ended by itself", "--no-such-flag", "flag provided but not defined");
    }

    @Test
    void oneThatIsNeverReadyIsEndedAndItsLastAnswerShown() {
        assertThatThrownBy(() -> etcd(ServerProcess.of(ServerBinary.named(NAME)))
                        .ready(server -> {
                            throw new IOException("not yet");
                        })
                        .within(Duration.ofMillis(500))
                        .start())
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(NAME, "to be ready", "500 ms", "not yet", "etcdserver");
        assertThat(ProcessHandle.current().descendants().filter(this::isUnshared))
                .isEmpty();
    }

    private boolean isUnshared(ProcessHandle process) {
        return process.pid() != ETCD.server().pid()
                && process.info().command().filter(c -> c.endsWith("/etcd")).isPresent();
    }

    @Test
    void dataThatAKilledRunLeftIsDeletedAfterAWhile(@TempDir Path folder) throws IOException {
        Path left = Files.createDirectories(folder.resolve("mandate-server-999999999-etcd-1/member"))
                .getParent();
        Path mine = Files.createDirectory(
                folder.resolve("mandate-server-" + ProcessHandle.current().pid() + "-etcd-2"));
        Path recent = Files.createDirectory(folder.resolve("mandate-server-999999998-etcd-3"));
        Path foreign = Files.createDirectory(folder.resolve("mandate-server-side"));
        for (Path old : List.of(left, mine, foreign)) {
            Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        }

        ServerData.deleteLeft(folder);

        assertThat(left).doesNotExist();
        assertThat(mine).exists();
        assertThat(recent).exists();
        assertThat(foreign).exists();
    }
}
