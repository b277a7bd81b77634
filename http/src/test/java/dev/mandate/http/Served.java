package dev.mandate.http;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in memory, a client that follows it and serves it, and a client that stands. */
final class Served implements AutoCloseable {
    static final Duration PLENTY = Duration.ofSeconds(60);

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    final MemoryFaults faults;
    final ElectionClient client;
    final ElectionClient candidate;
    final MandateHttp http;
    private final String url;
    private final List<Leadership> won = new CopyOnWriteArrayList<>();

    Served() throws IOException {
        this("", HttpOptions.DEFAULTS);
    }

    /** With these parameters of the URL. */
    Served(String parameters, HttpOptions options) throws IOException {
        this(parameters, options, Duration.ofSeconds(1));
    }

    /** @param stale for how long what is served is good without an answer of the store: the lease of who serves */
    Served(String parameters, HttpOptions options, Duration stale) throws IOException {
        String name = "served-" + NUMBER.incrementAndGet();
        url = "memory:" + name + "?answers=thread" + parameters;
        faults = MemoryFaults.of(name);
        // What is served is stale soon; who leads goes on leading, however busy the machine is.
        client = ElectionClient.builder(url + "&as=server").lease(stale).connect();
        candidate = ElectionClient.connect(url + "&lease=60s&as=candidate");
        http = MandateHttp.serve(client, options.withPort(0));
    }

    /** One more client of the same store. */
    ElectionClient another(String label) {
        return ElectionClient.connect(url + "&lease=60s&candidate=" + label + "&as=" + label);
    }

    /** Leads, with a value. */
    Leadership lead(String election, String value) throws InterruptedException {
        Leadership leadership =
                candidate.election(election).campaign(value, PLENTY).orElseThrow();
        won.add(leadership);
        return leadership;
    }

    int port() {
        return http.uri().getPort();
    }

    // ---- asking ----

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(path, HttpRequest.newBuilder());
    }

    HttpResponse<String> head(String path) throws IOException, InterruptedException {
        return send(path, HttpRequest.newBuilder().method("HEAD", HttpRequest.BodyPublishers.noBody()));
    }

    HttpResponse<String> send(String path, HttpRequest.Builder request) throws IOException, InterruptedException {
        URI uri = URI.create(http.uri().toString().replaceAll("/$", "") + path);
        return HTTP.send(request.uri(uri).timeout(PLENTY).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Waits until {@code path} is answered with {@code status}. */
    HttpResponse<String> await(String path, int status) {
        return Await.value(status + " for " + path, PLENTY, () -> {
            HttpResponse<String> answer = get(path);
            return answer.statusCode() == status ? Optional.of(answer) : Optional.empty();
        });
    }

    // ---- asking badly ----

    Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout((int) PLENTY.toMillis());
        socket.connect(new InetSocketAddress("127.0.0.1", port()), (int) PLENTY.toMillis());
        return socket;
    }

    /** Sends this as it is, on a connection of its own, and reads until its end. */
    String raw(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** A request for {@code path} and what is answered; the connection ends behind it. */
    String ask(String method, String path, String... headers) throws IOException {
        StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        boolean hasHost = false;
        for (String each : headers) {
            hasHost |= each.startsWith("Host:");
            request.append(each).append("\r\n");
        }
        request.append(hasHost ? "" : "Host: localhost\r\n").append("Connection: close\r\n\r\n");
        return raw(request.toString());
    }

    static int status(String answer) {
        return answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : 0;
    }

    @Override
    public void close() {
        won.forEach(Leadership::close);
        http.close();
        client.close();
        candidate.close();
        faults.close();
    }
}
