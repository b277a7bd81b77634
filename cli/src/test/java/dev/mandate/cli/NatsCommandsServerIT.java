package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Called;
import dev.mandate.doctor.Doctored;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.KeyValueConfiguration;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line on a real NATS server with JetStream, and the demo of the recipe in Go. */
class NatsCommandsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int ANSWER_MILLIS = 20_000;

    private static final List<String[]> LOOKING = List.of(
            new String[] {"status"},
            new String[] {"explain"},
            new String[] {"observe", "a", "--for", "1s"},
            new String[] {"evict", "a"});

    private static ServerProcess server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        server = ServerProcess.of(ServerBinary.named("nats-2.15"))
                .ports("client")
                .arguments("-a", "127.0.0.1", "-p", "{client}", "-js", "-sd", "{data}/js")
                .ready(s -> hello(s).startsWith("INFO {"))
                .version(s -> hello(s).replaceAll(".*\"version\":\"([^\"]*)\".*", "$1"))
                .start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** What the server says to whoever connects. */
    private static String hello(ServerProcess server) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("client"))) {
            socket.setSoTimeout(ANSWER_MILLIS);
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            return line == null ? "" : line;
        }
    }

    private static String host() {
        return "nats://127.0.0.1:" + server.port("client");
    }

    /** With a lease that is long for a machine that is busy. */
    private static String url(String bucket) {
        return host() + "/" + bucket + "?lease=60s";
    }

    private static Called call(String bucket, String... arguments) {
        return Called.with(
                Main.PROGRAM, Map.of("MANDATE_STORE", url(bucket), "PATH", System.getenv("PATH")), arguments);
    }

    @Test
    void everyCommandWorks() throws Exception {
        for (String[] looking : LOOKING) {
            call("ALL", looking).assertRefused(4, "there is no such bucket; make it: nats kv add ALL");
        }
        assertThat(call("ALL", "doctor").code()).isEqualTo(2);
        try (Connection nats = Nats.connect(host())) {
            assertThat(nats.keyValueManagement().getBucketNames()).doesNotContain("ALL");
        }
        ElectionClient.connect(url("ALL")).close();
        assertThat(call("ALL", "status").assertDone().err()).contains("nobody leads");
        try (ElectionClient client = ElectionClient.connect(url("ALL"));
                Leadership term = client.election("team a/1.").campaign("10.0.0.7:8080")) {
            assertThat(call("ALL", "status", "--json").assertDone().out())
                    .contains(
                            "\"team a/1.\"",
                            "10.0.0.7:8080",
                            Long.toString(term.fencingToken().value()));
            assertThat(call("ALL", "observe", "team a/1.", "--for", "300ms")
                            .assertDone()
                            .out())
                    .contains("team a/1.", "10.0.0.7:8080");
            assertThat(call("ALL", "evict", "--force", "team a/1.").assertDone().out())
                    .contains("freed 'team a/1.'", "may go on leading beside a new leader for at most");
            assertThat(call("ALL", "status").assertDone().out()).doesNotContain("10.0.0.7:8080");
        }
        assertThat(call("ALL", "run", "--once", "--election=job", "true")
                        .assertDone()
                        .err())
                .contains("leading 'job'");
        assertThat(call("ALL", "explain").assertDone().out()).contains("guarantee LEASED");
        Doctored.at(url("ALL"))
                .assertVerdict(Severity.WARNING)
                .assertSays(Severity.WARNING, "cluster", "one server keeps the bucket")
                .assertSays(Severity.OK, "operations", "acquiring, updating, releasing worked");
        assertThat(call("ALL", "status").assertDone().out()).isEmpty();
        assertThat(call("ALL", "bench", "--quick", "--only", "handover", url("BENCH"))
                        .assertDone()
                        .out())
                .contains("BENCH, lease 1 min", "hand-over p50", "hand-over p99");
    }

    @Test
    void anotherProgramsRecordIsNotAskedAndItsBeliefNotBounded() throws Exception {
        ElectionClient.connect(url("FOREIGN")).close();
        try (Connection nats = Nats.connect(host())) {
            nats.keyValue("FOREIGN").put("jobs", "member 1");
        }
        assertThat(call("FOREIGN", "status").assertDone().out()).contains("member 1", "live, by another program");
        assertThat(call("FOREIGN", "evict", "jobs").code()).isEqualTo(11);

        assertThat(call("FOREIGN", "evict", "--force", "jobs").assertDone().out())
                .contains(
                        "freed 'jobs' from 'member 1'",
                        "it is not known how long",
                        "settles",
                        "settleTime",
                        "settle=never")
                .doesNotContain("at most");

        try (Connection nats = Nats.connect(host())) {
            nats.keyValue("FOREIGN").put("jobs", "member 1");
        }
        assertThat(call("FOREIGN", "evict", "--force", "--json", "jobs")
                        .assertDone()
                        .out())
                .contains("\"outcome\":\"freed\"", "\"foreign\":true")
                .doesNotContain("overlapAtMostSeconds");
    }

    /** {@code run} does not take itself for another leader, nor wait without a word. */
    @Test
    void whoWaitsForAnotherProgramToStopSaysSo() throws Exception {
        ElectionClient.connect(url("WAITING")).close();
        try (Connection nats = Nats.connect(host())) {
            nats.keyValue("WAITING").put("jobs", "member 1");
            try (CandidateProcess run = CandidateProcess.java(
                            Main.class, "run", "--election", "jobs", "--candidate", "me", "--once", "true")
                    .environment("MANDATE_STORE", url("WAITING") + "&settleTime=10s")
                    .start()) {
                awaitSaid(run, "following 'jobs', led by 'member 1'");
                nats.keyValue("WAITING").delete("jobs");

                awaitSaid(run, "won 'jobs', token ");
                assertThat(run.awaitExit(PATIENCE)).isZero();
                awaitSaid(run, "leading 'jobs', token ");
                assertThat(run.log()).noneMatch(line -> line.contains("led by 'me'"));
            }
        }
    }

    private static void awaitSaid(CandidateProcess process, String words) {
        Await.until("'" + words + "'", PATIENCE, () -> process.log().stream().anyMatch(line -> line.contains(words)));
    }

    /**
     * A bucket as the recipe makes it, a context of the {@code nats} command, and a lead that is taken away by deleting
     * the key.
     */
    @Test
    void theDemoOfTheRecipe() throws Exception {
        Path contexts = Files.createDirectories(folder.resolve("nats").resolve("context"));
        Files.writeString(contexts.resolve("dev.json"), "{\"url\":\"" + host() + "\"}");
        Files.writeString(folder.resolve("nats").resolve("context.txt"), "dev");
        try (Connection nats = Nats.connect(host())) {
            nats.keyValueManagement()
                    .create(KeyValueConfiguration.builder()
                            .name("DEMO_ELECTION")
                            .ttl(Duration.ofSeconds(31))
                            .build());
            String[] arguments = {"demo", "--workers", "3", "--election", "demo", "--watch", "1h"};
            try (CandidateProcess demo = CandidateProcess.java(Main.class, arguments)
                    .environment("MANDATE_STORE", "nats:///DEMO_ELECTION?context=&lease=31s&splay=0s")
                    .environment("MANDATE_STORE_FILE", "")
                    .environment("XDG_CONFIG_HOME", folder.toString())
                    .start()) {
                String first = demo.await("a leader", PATIENCE, line -> line.contains(" leads, token "));
                nats.keyValue("DEMO_ELECTION").delete("demo");

                // In either order: another may win before the former leader, or this process, hears of it.
                awaitSaid(demo, " no longer leads, ");
                Await.until(
                        "the next term",
                        PATIENCE,
                        () -> demo.log().stream()
                                .anyMatch(line -> line.contains(" leads, token ")
                                        && !token(line).equals(token(first))));
            }
        }
    }

    /** Its time to live is the lease, and longer than the demo's own. */
    @Test
    void theDemoTakesTheLeaseOfTheBucket() throws Exception {
        try (Connection nats = Nats.connect(host())) {
            nats.keyValueManagement()
                    .create(KeyValueConfiguration.builder()
                            .name("FIXED")
                            .ttl(Duration.ofSeconds(12))
                            .build());
        }
        String[] arguments = {"demo", "--workers", "2", "--watch", "1ms", "--store", host() + "/FIXED?splay=0s"};
        try (CandidateProcess demo =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(demo.awaitExit(PATIENCE))
                    .as("exit code; it said %s", demo.log())
                    .isZero();
            assertThat(demo.lines()).anyMatch(line -> line.contains("lease 12 s, store nats:"));
        }
    }

    private static String token(String line) {
        return line.replaceAll(".*token ", "");
    }
}
