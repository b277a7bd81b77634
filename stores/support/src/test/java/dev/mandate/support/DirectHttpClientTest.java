package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DirectHttpClientTest {
    private static final byte[] HALF_AN_ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".getBytes(StandardCharsets.US_ASCII);

    private final StoreThreads threads = new StoreThreads("direct-", 2);
    private final DirectHttpClient client = DirectHttpClient.newBuilder(threads.workers())
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try {
                mayAnswer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            byte[] body = ("from " + exchange.getRemoteAddress().getPort()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("X-Index", "7");
            exchange.sendResponseHeaders(201, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        mayAnswer.countDown();
        server.stop(0);
        client.shutdownNow();
        threads.close();
    }

    private static HttpRequest request(int port) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/x"))
                .build();
    }

    private CompletableFuture<HttpResponse<String>> send(int port) {
        return client.sendAsync(request(port), HttpResponse.BodyHandlers.ofString());
    }

    private int port() {
        return server.getAddress().getPort();
    }

    @Test
    void anAnswerCompletesItsFutureOnTheExecutor() throws Exception {
        CompletableFuture<String> thread =
                send(port()).thenApply(answer -> Thread.currentThread().getName());
        mayAnswer.countDown();

        assertThat(thread.get(20, TimeUnit.SECONDS)).startsWith("direct-worker-");
    }

    @Test
    void anAnswerIsThatOfTheServer() throws Exception {
        mayAnswer.countDown();
        HttpResponse<String> answer = send(port()).get(20, TimeUnit.SECONDS);

        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.body()).startsWith("from ");
        assertThat(answer.headers().firstValue("X-Index")).hasValue("7");
        assertThat(answer.uri()).isEqualTo(request(port()).uri());
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }

    /** To cancel a request cuts its connection: an answered one must not be cancelled. */
    @Test
    void aConnectionIsUsedAgain() throws Exception {
        mayAnswer.countDown();
        String first = send(port()).get(20, TimeUnit.SECONDS).body();
        String then = "";
        // The answer may come just before its connection is free.
        for (int i = 0; i < 50 && !then.equals(first); i++) {
            then = send(port()).get(20, TimeUnit.SECONDS).body();
        }

        assertThat(then).isEqualTo(first);
    }

    @Test
    void toCancelTheFutureCutsTheConnection() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<HttpResponse<String>> sent = send(silent.getLocalPort());
            try (Socket connection = silent.accept()) {
                assertThat(connection.getInputStream().read()).isEqualTo('G');
                sent.cancel(true);
                connection.setSoTimeout(20_000);
                assertThat(endOf(connection)).isEqualTo(-1);
            }
        }
    }

    @Test
    void aProxysRefusalIsAnAnswer() throws Exception {
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            DirectHttpClient behind = DirectHttpClient.newBuilder(threads.workers())
                    .proxy(ProxySelector.of(new InetSocketAddress(proxy.getInetAddress(), proxy.getLocalPort())))
                    .build();
            CompletableFuture<HttpResponse<String>> sent = behind.sendAsync(
                    HttpRequest.newBuilder(URI.create("https://storage.example/x"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            try (Socket connection = proxy.accept()) {
                assertThat(connection.getInputStream().read()).isEqualTo('C');
                connection
                        .getOutputStream()
                        .write("HTTP/1.1 407 Who are you?\r\nContent-Length: 0\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(sent.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(407);
            }
        }
    }

    /** Nobody will read what comes: it would keep its connection for ever. */
    @Test
    void aStreamThatIsCancelledBeforeItsReaderLearnsOfItIsCut() throws Exception {
        Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        AtomicBoolean isHolding = new AtomicBoolean();
        DirectHttpClient busy = DirectHttpClient.newBuilder(task -> {
                    if (isHolding.get() && task instanceof CompletableFuture.AsynchronousCompletionTask) {
                        held.add(task);
                    } else {
                        threads.workers().execute(task);
                    }
                })
                .proxy(HttpClient.Builder.NO_PROXY)
                .build();
        try (ServerSocket streaming = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<?> sent = busy.sendAsync(request(streaming.getLocalPort()), head -> {
                isHolding.set(true);
                return HttpResponse.BodySubscribers.ofPublisher();
            });
            try (Socket connection = streaming.accept()) {
                connection.getOutputStream().write(HALF_AN_ANSWER);
                // Once the JDK's own future is done, too, only the reader can cut the connection.
                await(() -> held.size() >= 2);
                sent.cancel(true);
                isHolding.set(false);
                held.forEach(threads.workers()::execute);
                connection.setSoTimeout(20_000);
                assertThat(endOf(connection)).isEqualTo(-1);
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 2_000 && !condition.getAsBoolean(); i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    /** Reads all; a reset is an end as well. */
    private static int endOf(Socket connection) throws IOException {
        try {
            int last = connection.getInputStream().read();
            while (last >= 0) {
                last = connection.getInputStream().read();
            }
            return last;
        } catch (SocketException e) {
            return -1;
        }
    }

    @Test
    void aRefusedConnectionAndABrokenAnswerFailTheFuture() throws Exception {
        int closed;
        try (ServerSocket broken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = broken.getLocalPort();
            CompletableFuture<HttpResponse<String>> sent = send(closed);
            try (Socket connection = broken.accept()) {
                connection.getOutputStream().write(HALF_AN_ANSWER);
            }
            assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> send(closed).get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IOException.class);
    }
}
