package dev.mandate.examples.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.sun.net.httpserver.HttpServer;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.test.TestElection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers, one of which leads. */
@Timeout(120)
class LeaderHttpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Answers with its name and the token that it received. */
    private static HttpServer server(String name) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String token = exchange.getRequestHeaders().getFirst("Fencing-Token");
            byte[] body = (name + exchange.getRequestURI() + " " + token).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static String url(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @Test
    void aRequestReachesWhoeverLeads() throws Exception {
        HttpServer a = server("a");
        HttpServer b = server("b");
        TestElection election = TestElection.ledBy("invoices", url(a), 1);
        try (LeaderHttp leader = new LeaderHttp(election)) {
            assertThat(leader.get("/hello", PATIENCE)).isEqualTo("a/hello 1");

            election.electOther(url(b), 2);
            a.stop(0);

            assertThat(leader.get("/hello", PATIENCE)).isEqualTo("b/hello 2");
        } finally {
            a.stop(0);
            b.stop(0);
        }
    }

    /** The leader's server is gone but its lease is not: the request waits for the next leader. */
    @Test
    void aDeadLeaderIsNotAskedAgainOnceAnotherLeads(@TempDir Path folder) throws Exception {
        String store = "sqlite:" + folder.resolve("mandate.db") + "?lease=3s";
        HttpServer a = server("a");
        HttpServer b = server("b");
        try (ElectionClient one = ElectionClient.connect(store);
                ElectionClient other = ElectionClient.connect(store);
                ElectionClient caller = ElectionClient.connect(store);
                LeaderHttp leader = new LeaderHttp(caller.election("invoices"))) {
            Election election = one.election("invoices");
            Leadership first = election.campaign(url(a));
            assertThat(leader.get("/", PATIENCE)).startsWith("a/ ");
            a.stop(0);
            assertThatIOException()
                    .isThrownBy(() -> leader.get("/", Duration.ofMillis(600)))
                    .withMessage("no leader answered within PT0.6S");
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> get(leader));

            other.election("invoices").campaignAsync(url(b));
            first.close();

            assertThat(answer.join()).startsWith("b/ ");
        } finally {
            a.stop(0);
            b.stop(0);
        }
    }

    private static String get(LeaderHttp leader) {
        try {
            return leader.get("/", PATIENCE);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
