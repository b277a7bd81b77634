package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code serve} as a process: what it serves of a real file, and how it ends. */
@Tag("long")
@Order(1)
class ServeProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path temp;

    private final HttpClient http = HttpClient.newHttpClient();

    private HttpResponse<String> get(URI uri) throws Exception {
        return http.send(HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aLeaderIsServedUntilASignalEndsIt() throws Exception {
        String store = "sqlite:" + temp.resolve("store.db") + "?lease=10s";
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership leadership = client.election("invoices").campaign("http://10.0.0.7/")) {
            for (String signal : new String[] {"TERM", "INT"}) {
                try (CandidateProcess serve = CandidateProcess.java(
                                Main.class, "serve", "--port", "0", "--store", store)
                        .environment("MANDATE_STORE", "")
                        .start()) {
                    URI uri = URI.create(serve.await("the URL", PATIENCE, line -> line.startsWith("http://")));
                    Await.until(
                            "the leader",
                            PATIENCE,
                            () -> get(uri.resolve("/v1/elections/invoices"))
                                    .body()
                                    .contains("\"token\":"
                                            + leadership.fencingToken().value()));
                    assertThat(get(uri).body()).contains("<title>Mandate</title>");
                    CompletableFuture<HttpResponse<String>> stream = http.sendAsync(
                            HttpRequest.newBuilder(uri.resolve("/v1/events")).build(),
                            HttpResponse.BodyHandlers.ofString());

                    Await.until(
                            "the stream",
                            PATIENCE,
                            () -> serve.isAlive()
                                    && get(uri.resolve("/healthz")).statusCode() == 200);
                    new ProcessBuilder("kill", "-s", signal, Long.toString(serve.pid()))
                            .start()
                            .waitFor();

                    assertThat(serve.awaitExit(PATIENCE)).isEqualTo(signal.equals("TERM") ? 143 : 130);
                    Await.until("the end of the stream", PATIENCE, stream::isDone);
                    assertThat(serve.log()).noneMatch(line -> line.contains("Exception"));
                }
            }
        }
    }
}
