package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HardRequestsTest {
    private Served served;

    @BeforeEach
    void serve() throws Exception {
        served = new Served();
        served.await("/healthz", 200);
    }

    @AfterEach
    void close() {
        served.close();
    }

    private void isWell() throws Exception {
        assertThat(served.get("/healthz").statusCode()).isEqualTo(200);
    }

    private static void isRefused(String answer, int status, String request) {
        assertThat(Served.status(answer)).as(request).isEqualTo(status);
        assertThat(answer)
                .as(request)
                .contains("Content-Type: application/json")
                .contains("{\"error\":\"");
        assertThat(answer).as(request).doesNotContain("org.eclipse").doesNotContain("\tat ");
    }

    @Test
    void unknownPathsAreNotFound() throws Exception {
        for (String path : List.of(
                "/nothing",
                "/index.html",
                "/favicon.ico",
                "//",
                "/v1",
                "/v1/elections/",
                "/v1/elections/a/b/c",
                "/page.css/..",
                "/dev/mandate/http/openapi.json",
                "/am-i-leader",
                "/V1/ELECTIONS")) {
            isRefused(served.ask("GET", path), 404, path);
        }
        isWell();
    }

    @Test
    void otherMethodsAreNotAllowed() throws Exception {
        for (String path :
                List.of("/", "/healthz", "/v1/elections", "/v1/elections/a", "/v1/events", "/v1/openapi.json")) {
            for (String method : List.of("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get")) {
                String answer = served.ask(method, path);
                isRefused(answer, 405, method + " " + path);
                assertThat(answer).contains("Allow: GET, HEAD");
            }
        }
        isRefused(served.ask("POST", "/nothing"), 404, "POST");
        isWell();
    }

    @Test
    void malformedRequestsAreRefused() throws Exception {
        for (String path : List.of(
                "/%",
                "/%zz",
                "/v1/elections/%4",
                "/v1/elections/%ff",
                "/v1/elections/%C0%AF",
                "/v1/elections/\u00e4",
                "/%u0041")) {
            isRefused(served.ask("GET", path), 400, path);
        }
        for (String path : List.of("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd")) {
            assertThat(Served.status(served.ask("GET", path))).as(path).isIn(400, 404);
        }
        for (String request : List.of(
                "GET\r\n\r\n",
                "GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "\0\0\0\0\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n")) {
            String answer = served.raw(request);
            // Some of it is no HTTP, so no answer is owed.
            assertThat(answer.isEmpty() ? 400 : Served.status(answer))
                    .as(request)
                    .isIn(400, 505);
        }
        isWell();
    }

    @Test
    void bodiesAreNotRead() throws Exception {
        for (String header :
                List.of("Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: 99999999999")) {
            String answer = served.raw("GET /v1/elections HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n\r\nhello");
            isRefused(answer, 413, header);
            assertThat(answer).contains("Connection: close");
        }
        String waits =
                served.raw("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        isRefused(waits, 413, "100-continue");
        isRefused(
                served.raw("POST /v1/elections HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"),
                405,
                "POST");
        assertThat(Served.status(served.ask("GET", "/healthz", "Content-Length: 0")))
                .isEqualTo(200);
        isWell();
    }

    @Test
    void headersBeyondEightKibibytesAreRefused() throws Exception {
        assertThat(Served.status(served.ask("GET", "/healthz", "X: " + "x".repeat(7_000))))
                .isEqualTo(200);
        isRefused(served.ask("GET", "/healthz", "X: " + "x".repeat(9_000)), 431, "one long header");
        String[] many = new String[2_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = "X" + i + ": y";
        }
        isRefused(served.ask("GET", "/healthz", many), 431, "many headers");
        isRefused(served.ask("GET", "/v1/elections/" + "x".repeat(9_000)), 414, "a long path");
        isWell();
    }

    @Test
    void whoSendsSlowlyIsCutOffAfterTenSeconds() throws Exception {
        long began = System.nanoTime();
        try (Socket silent = served.connect();
                Socket dripping = served.connect()) {
            Thread drip = new Thread(() -> {
                try {
                    dripping.getOutputStream()
                            .write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
                                    .getBytes(StandardCharsets.US_ASCII));
                    while (true) {
                        dripping.getOutputStream().write('x');
                        Await.passing(java.time.Duration.ofMillis(200));
                    }
                } catch (IOException e) {
                    // Cut off.
                }
            });
            drip.setDaemon(true);
            drip.start();

            assertThat(end(silent)).isTrue();
            assertThat(end(dripping)).isTrue();
            drip.join(Served.PLENTY.toMillis());
            assertThat(drip.isAlive()).isFalse();
        }
        assertThat(System.nanoTime() - began).isGreaterThan(9_000_000_000L);
        isWell();
    }

    /** Whether it is closed before the test loses its patience. */
    private static boolean end(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {
                // An answer that says so may come before.
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void aThousandIdleConnectionsDisturbNobody() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (EventReader stream = new EventReader(served)) {
            stream.await("snapshot", any -> true);
            for (int i = 0; i < 1_000; i++) {
                idle.add(served.connect());
                if (i % 100 == 99) {
                    isWell();
                }
            }
            Await.until("all but 256 to be closed", Served.PLENTY, () -> open(idle) <= Peers.MOST);
            isWell();

            served.lead("invoices", "v");

            stream.await("elections", any -> any.toString().contains("invoices"));
            assertThat(stream.isOver()).isFalse();
        } finally {
            for (Socket each : idle) {
                each.close();
            }
        }
    }

    private static int open(List<Socket> sockets) throws IOException {
        int open = 0;
        for (Socket each : sockets) {
            each.setSoTimeout(1);
            try {
                if (each.getInputStream().read() >= 0) {
                    throw new AssertionError("nobody asked, and an answer came");
                }
            } catch (SocketTimeoutException e) {
                open++;
            } catch (IOException e) {
                // Closed.
            }
        }
        return open;
    }

    @Test
    void severalRequestsFollowOneAnotherOnOneConnection() throws Exception {
        String one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        String last = "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

        String answers = served.raw(one + one + last);

        assertThat(answers.split("HTTP/1.1 200 ", -1)).hasSize(3);
        assertThat(answers.split("HTTP/1.1 404 ", -1)).hasSize(2);
    }
}
