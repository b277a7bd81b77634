package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GateTest {
    private static final String SECRET = "correct-horse-battery";
    private static final List<String> PATHS = List.of("/", "/healthz", "/v1/elections", "/v1/events", "/nothing");

    @TempDir
    private Path folder;

    @Test
    void onlyRequestsForThisMachineAreServed() throws Exception {
        try (Served served = new Served()) {
            served.await("/healthz", 200);
            for (String host : List.of("localhost", "localhost:7480", "127.0.0.1", "127.9.9.9:1", "[::1]:7480")) {
                assertThat(Served.status(served.ask("GET", "/healthz", "Host: " + host)))
                        .as(host)
                        .isEqualTo(200);
            }
            for (String path : PATHS) {
                for (String host : List.of(
                        "example.org", "rebound.example.org:7480", "10.0.0.7", "localhost.example.org", "0.0.0.0")) {
                    String answer = served.ask("GET", path, "Host: " + host);
                    assertThat(Served.status(answer)).as(host + path).isEqualTo(421);
                    assertThat(answer).contains("localhost, 127.0.0.1 or [::1]");
                }
            }
        }
    }

    @Test
    void aHostInTheUriCountsToo() throws Exception {
        try (Served served = new Served()) {
            served.await("/healthz", 200);
            assertThat(Served.status(served.ask("GET", "http://localhost/healthz", "Host: localhost")))
                    .isEqualTo(200);
            assertThat(Served.status(served.ask("GET", "http://example.org/healthz", "Host: example.org")))
                    .isEqualTo(421);
            assertThat(Served.status(served.ask("GET", "http://example.org/healthz", "Host: localhost")))
                    .isEqualTo(400);
            // No browser leaves it out, and nobody else has to.
            assertThat(Served.status(served.raw("GET /healthz HTTP/1.0\r\n\r\n")))
                    .isEqualTo(421);
            assertThat(Served.status(served.raw("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")))
                    .isEqualTo(400);
            assertThat(Served.status(served.ask("GET", "/healthz", "Host: localhost", "Host: example.org")))
                    .isEqualTo(400);
        }
    }

    @Test
    void withATokenWhoSendsItIsServedUnderAnyName() throws Exception {
        try (Served served = new Served("", HttpOptions.DEFAULTS.withToken(SECRET))) {
            String bearer = "Authorization: Bearer " + SECRET;
            String basic = "Authorization: Basic "
                    + Base64.getEncoder().encodeToString((":" + SECRET).getBytes(StandardCharsets.UTF_8));
            for (String path : PATHS) {
                String without = served.ask("GET", path);
                assertThat(Served.status(without)).as(path).isEqualTo(401);
                assertThat(without)
                        .contains("WWW-Authenticate: Basic realm=\"mandate\"")
                        .contains("WWW-Authenticate: Bearer realm=\"mandate\"");
                assertThat(Served.status(served.ask("GET", path, "Authorization: Bearer wrong-wrong-wrong-x")))
                        .isEqualTo(401);
            }
            for (String right : List.of(bearer, basic)) {
                assertThat(Served.status(served.ask("GET", "/", right))).isEqualTo(200);
                assertThat(Served.status(served.ask("GET", "/", right, "Host: mandate.example.org")))
                        .isEqualTo(200);
                assertThat(Served.status(served.ask("GET", "/nothing", right))).isEqualTo(404);
            }
        }
    }

    @Test
    void aTokenThatIsExchangedInItsFileCountsWithinSeconds() throws Exception {
        Path file = folder.resolve("token");
        Files.writeString(file, SECRET);
        try (Served served = new Served("", HttpOptions.DEFAULTS.withTokenFile(file))) {
            assertThat(Served.status(served.ask("GET", "/", "Authorization: Bearer " + SECRET)))
                    .isEqualTo(200);

            Files.writeString(file, SECRET + "-2");

            Await.until(
                    "the new token",
                    Served.PLENTY,
                    () -> Served.status(served.ask("GET", "/", "Authorization: Bearer " + SECRET + "-2")) == 200);
            assertThat(Served.status(served.ask("GET", "/", "Authorization: Bearer " + SECRET)))
                    .isEqualTo(401);
        }
    }

    @Test
    void beyondLoopbackItDoesNotStartWithoutAToken() throws Exception {
        try (ElectionClient client = ElectionClient.connect("memory:")) {
            for (String address : List.of("0.0.0.0", "::", "192.0.2.1")) {
                assertThatThrownBy(() -> MandateHttp.serve(
                                client,
                                HttpOptions.DEFAULTS.withAddress(address).withPort(0)))
                        .as(address)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(address)
                        .hasMessageContaining("token");
            }
            HttpOptions all =
                    HttpOptions.DEFAULTS.withAddress("0.0.0.0").withPort(0).withToken(SECRET);
            try (MandateHttp http = MandateHttp.serve(client, all)) {
                assertThat(http.uri().getPort()).isPositive();
            }
        }
    }

    @Test
    void anAddressThatIsTakenOrNotOursIsNamed() throws Exception {
        try (Served served = new Served()) {
            assertThatThrownBy(() -> MandateHttp.serve(served.client, HttpOptions.DEFAULTS.withPort(served.port())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("port " + served.port())
                    .hasMessageContaining("127.0.0.1");
            assertThatThrownBy(() -> MandateHttp.serve(
                            served.client,
                            HttpOptions.DEFAULTS
                                    .withAddress("no.such.host.invalid")
                                    .withPort(0)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no.such.host.invalid");
            // What was opened on the way is closed again, and this one goes on.
            served.await("/healthz", 200);
        }
    }

    @Test
    void everyAnswerForbidsWhatAPageMayNotDo() throws Exception {
        try (Served served = new Served()) {
            served.await("/healthz", 200);
            for (String path :
                    List.of("/", "/page.js", "/healthz", "/v1/elections", "/v1/elections/x", "/nothing", "/%")) {
                HttpResponse<String> answer = path.equals("/%") ? null : served.get(path);
                String raw = served.ask("GET", path);
                assertThat(raw)
                        .as(path)
                        .contains("Cache-Control: no-store")
                        .contains("X-Content-Type-Options: nosniff")
                        .contains("Referrer-Policy: no-referrer")
                        .contains("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';"
                                + " connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none';"
                                + " frame-ancestors 'none'")
                        .doesNotContainIgnoringCase("access-control-")
                        .doesNotContainIgnoringCase("\r\nserver:")
                        .doesNotContainIgnoringCase("set-cookie");
                assertThat(answer == null
                                || answer.headers().firstValue("server").isEmpty())
                        .isTrue();
            }
            String preflight = served.ask(
                    "OPTIONS", "/v1/elections", "Origin: https://example.org", "Access-Control-Request-Method: GET");
            assertThat(Served.status(preflight)).isEqualTo(405);
            assertThat(preflight).doesNotContainIgnoringCase("access-control-");
        }
    }
}
