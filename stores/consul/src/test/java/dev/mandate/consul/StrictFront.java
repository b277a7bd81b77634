package dev.mandate.consul;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Stands in front of a real agent, and refuses the keys that newer versions refuse, in their words. */
final class StrictFront implements AutoCloseable {
    /** Which keys are refused, and how. */
    enum Version {
        /** hashicorp/consul#22682: few characters, no two dots, and an answer as for its own faults. */
        V1_21_5(500, "invalid key name, keys should respect the \"^[a-zA-Z0-9,_./\\\\-?&=]+$\" format") {
            @Override
            boolean refuses(String key) {
                return !key.matches("[a-zA-Z0-9,_./\\-?&=]*") || key.contains("..");
            }
        },
        /** hashicorp/consul#22850, #23185: no way out of a folder, encoded or not, no space or slash at an end. */
        V1_22(400, "Invalid key in transaction: invalid key name") {
            @Override
            boolean refuses(String key) {
                String decoded =
                        key.toLowerCase(Locale.ROOT).replace("%2e", ".").replace("%2f", "/");
                return key.startsWith("/")
                        || !key.strip().equals(key)
                        || Stream.of(decoded.split("/", -1)).anyMatch(".."::equals);
            }
        };

        private final int status;
        private final String sentence;

        Version(int status, String sentence) {
            this.status = status;
            this.sentence = sentence;
        }

        abstract boolean refuses(String key);
    }

    private static final Pattern IN_TRANSACTION = Pattern.compile("\"Key\":\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final String KV = "/v1/kv/";

    private final HttpServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "strict-front");
        thread.setDaemon(true);
        return thread;
    });
    private final int agent;
    private final List<Version> versions;
    private final AtomicInteger refusals = new AtomicInteger();

    StrictFront(int agent, Version... versions) throws IOException {
        this.agent = agent;
        this.versions = List.of(versions);
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** How many requests it did not take. */
    int refusals() {
        return refusals.get();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Optional<Version> refusing = refusing(exchange.getRequestURI(), body);
            if (refusing.isPresent()) {
                refusals.incrementAndGet();
                say(exchange, refusing.get().status, refusing.get().sentence.getBytes(StandardCharsets.UTF_8));
                return;
            }
            HttpResponse<byte[]> answer = client.send(request(exchange, body), HttpResponse.BodyHandlers.ofByteArray());
            answer.headers()
                    .firstValue("X-Consul-Index")
                    .ifPresent(index -> exchange.getResponseHeaders().set("X-Consul-Index", index));
            say(exchange, answer.statusCode(), answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Version> refusing(URI uri, byte[] body) {
        Stream<String> keys = uri.getPath().startsWith(KV)
                ? Stream.of(uri.getPath().substring(KV.length()))
                : IN_TRANSACTION
                        .matcher(uri.getPath().equals("/v1/txn") ? new String(body, StandardCharsets.UTF_8) : "")
                        .results()
                        .map(found -> found.group(1).replaceAll("\\\\(.)", "$1"));
        List<String> all = keys.toList();
        return versions.stream()
                .filter(version -> all.stream().anyMatch(version::refuses))
                .findFirst();
    }

    private HttpRequest request(HttpExchange exchange, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + agent + exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        return request.build();
    }

    private static void say(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
