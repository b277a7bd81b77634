package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Called;
import dev.mandate.doctor.Doctored;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands, the doctor among them, on Azure's emulator. */
class AzureCommandsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final List<String[]> LOOKING = List.of(
            new String[] {"status"},
            new String[] {"explain"},
            new String[] {"observe", "a", "--for", "1s"},
            new String[] {"evict", "a"},
            new String[] {"evict", "a", "--force"});

    private static ServerProcess azurite;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        azurite = ServerProcess.of(ServerBinary.named("azurite"))
                .ports("blob")
                .arguments("--blobHost", "127.0.0.1", "--blobPort", "{blob}", "--location", "{data}")
                .arguments("--skipApiVersionCheck", "--disableTelemetry", "--silent")
                .ready(server -> !version(server).isEmpty())
                .version(AzureCommandsServerIT::version)
                .start();
    }

    @AfterAll
    static void stop() {
        if (azurite != null) {
            azurite.close();
        }
    }

    private static String version(ServerProcess server) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.port("blob") + "/devstoreaccount1?comp=list");
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .headers()
                .firstValue("Server")
                .orElse("");
    }

    private static String url(String container) {
        // The answers of a machine that is busy are waited for.
        return "azblob+http://127.0.0.1:" + azurite.port("blob") + "/devstoreaccount1/" + container + "?lease=60s";
    }

    private static Called call(String container, String... arguments) {
        return Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", url(container)), arguments);
    }

    @Test
    void everyCommandWorks() throws Exception {
        for (String[] looking : LOOKING) {
            call("all", looking).assertRefused(4, "there is no such container; create it");
        }
        Called looked = call("all", "doctor");
        assertThat(looked.code()).isEqualTo(2);
        assertThat(looked.out()).contains("there is no such container");
        // Still not there.
        call("all", "status").assertRefused(4, "there is no such container");
        try (ElectionClient client = ElectionClient.connect(url("all"));
                Leadership term = client.election("team a/1.").campaign("10.0.0.7:8080")) {
            assertThat(call("all", "status", "--json").assertDone().out())
                    .contains(
                            "\"team a/1.\"",
                            "10.0.0.7:8080",
                            Long.toString(term.fencingToken().value()));
            try (CandidateProcess observer = CandidateProcess.java(Main.class, "observe", "team a/1.")
                    .environment("MANDATE_STORE", url("all"))
                    .start()) {
                observer.await(
                        "who leads",
                        PATIENCE,
                        line -> line.contains("team a/1.  led by ") && line.contains("10.0.0.7:8080"));
            }
            assertThat(call("all", "evict", "--force", "team a/1.").assertDone().out())
                    .contains("freed 'team a/1.'");
            assertThat(call("all", "status").assertDone().out()).doesNotContain("10.0.0.7:8080");
        }
        assertThat(call("all", "run", "--election=job", "--once", "true")
                        .assertDone()
                        .err())
                .contains("leading 'job'");
        assertThat(Called.with(Main.PROGRAM, Map.of(), "explain", url("all").replace("60s", "15s"))
                        .assertDone()
                        .out())
                .contains("Take-over:  at most 20.80 s", "guarantee FENCED");
        assertThat(call("bench", "bench", "--quick", "--only", "idle", "--held", "2", "--during", "1s")
                        .assertDone()
                        .out())
                .contains("2 held: requests", "for 1 s");
    }

    @Test
    void theDemoShowsTheTermAfterAnEviction() {
        String store = url("demo").replace("60s", "15s");
        try (CandidateProcess demo = CandidateProcess.java(
                        Main.class, "demo", "--workers", "2", "--election", "shown", "--watch", "1h")
                .environment("MANDATE_STORE", store)
                .start()) {
            String first = demo.await("a leader", PATIENCE, line -> line.contains(" leads, token "));
            call("demo", "evict", "--force", "shown").assertDone();
            demo.await(
                    "the next term",
                    PATIENCE,
                    line -> line.contains(" leads, token ") && !token(line).equals(token(first)));
        }
    }

    @Test
    void aServiceThatIsWellIsSaidToBe() {
        Doctored first = Doctored.at(url("well"));
        assertThat(first.sentences(Severity.WARNING)).noneMatch(said -> said.contains("interface :"));
        first.assertVerdict(Severity.WARNING)
                .assertSays(Severity.WARNING, "version", "Azurite", "the emulator, for tests")
                .assertSays(Severity.OK, "clock", "the service's")
                .assertSays(Severity.OK, "container", "no container well yet")
                .assertSays(Severity.OK, "credentials", "the account's key")
                .assertSays(Severity.OK, "hints", "reported changes")
                .assertSays(Severity.OK, "operations", "acquiring, updating, releasing worked");
        Doctored.at(url("well"))
                .assertVerdict(Severity.WARNING)
                .assertSays(Severity.OK, "container", "exists and is private");
        assertThat(call("well", "status").assertDone().out()).isEmpty();
    }

    @Test
    void aServiceThatIsAwayIsToldInOneSentence() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Doctored.at("azblob+http://127.0.0.1:" + port + "/devstoreaccount1/away?lease=60s")
                .assertUnreachable("connection refused");
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        Path wrong = Files.writeString(
                folder.resolve("connection"), "AccountName=devstoreaccount1;AccountKey=d3JvbmcgYnV0IHdlbGwtZm9ybWVk");
        Doctored.at(url("missing") + "&connectionFile=" + wrong).assertVerdict(Severity.ERROR);
        Doctored.at(url("missing") + "&create=false")
                .assertVerdict(Severity.ERROR)
                .assertSays(Severity.ERROR, "reachable", "az storage container create");
    }

    private static String token(String line) {
        return line.replaceAll(".*token ", "");
    }
}
