package dev.mandate.azureblob;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stands before the emulator and does what a service in trouble does: refuses, loses requests and answers, has another
 * clock. All else is handed on as it is. A request is known by its method and what it is for:
 * {@code PUT lease acquire}, {@code PUT metadata}, {@code HEAD blob}.
 */
final class HttpFaults implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(20);

    /** Longer than anybody waits. */
    private static final int SILENT_SECONDS = 15;

    /** How long a request is held up by {@link Effect#DELAY}. */
    static final Duration DELAY = Duration.ofMillis(100);

    /** How long a request is held up by {@link Effect#LONG_DELAY}: much longer than it takes on a busy machine. */
    static final Duration LONG_DELAY = Duration.ofSeconds(2);

    private static final int HEADER_BYTES_MAX = 64 * 1024;
    private static final Set<String> NOT_HANDED_ON =
            Set.of("host", "connection", "content-length", "transfer-encoding", "upgrade", "expect", "keep-alive");

    private final ServerSocket server;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String to;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private volatile Duration ahead = Duration.ZERO;
    private volatile boolean isDateHidden;

    /** What becomes of some requests. */
    enum Effect {
        /** It is not handed on, and nobody hears of it again. */
        LOSE_REQUEST,
        /** It is carried out, and its answer is lost. */
        LOSE_ANSWER,
        /** It is handed on after a pause. */
        DELAY,
        /** It goes on after {@link #LONG_DELAY}. */
        LONG_DELAY,
        /** It is refused. */
        REFUSE
    }

    private record Rule(String request, Effect effect, int status, Map<String, String> headers, AtomicInteger left) {}

    private HttpFaults(int port) throws IOException {
        this.to = "http://127.0.0.1:" + port;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.execute(this::listen);
    }

    static HttpFaults before(int port) throws IOException {
        return new HttpFaults(port);
    }

    int port() {
        return server.getLocalPort();
    }

    /** The next {@code times} requests that begin like this are lost, or their answers are. */
    void befall(String request, Effect effect, int times) {
        rules.add(new Rule(request, effect, 0, Map.of(), new AtomicInteger(times)));
    }

    /** All requests that begin like this are refused, until {@link #heal()}. */
    void refuse(String request, int status, Map<String, String> headers) {
        rules.add(new Rule(request, Effect.REFUSE, status, headers, new AtomicInteger(Integer.MAX_VALUE)));
    }

    /** The service's clock is that much ahead of ours. */
    void clock(Duration ahead) {
        this.ahead = ahead;
    }

    /** A proxy takes the date away from all answers. */
    void hideDate() {
        this.isDateHidden = true;
    }

    void heal() {
        rules.clear();
        isDateHidden = false;
    }

    /** The requests that came and begin like this, with their blob and their lease id, if they have one. */
    List<String> requests(String beginning) {
        return seen.stream().filter(request -> request.startsWith(beginning)).toList();
    }

    /** One request, its headers by their names in lower case. */
    private record Request(String method, String path, Map<String, String> headers, byte[] body) {
        String name() {
            int question = path.indexOf('?');
            String action = headers.get("x-ms-lease-action");
            String what = question < 0
                    ? "blob"
                    : Stream.of(path.substring(question + 1).split("&"))
                            .filter(part -> part.startsWith("comp="))
                            .map(part -> part.substring("comp=".length()))
                            .findFirst()
                            .orElse("container");
            return method + " " + what + (action == null ? "" : " " + action);
        }
    }

    private void listen() {
        while (!server.isClosed()) {
            try {
                Socket connection = server.accept();
                connections.add(connection);
                threads.execute(() -> serve(connection));
            } catch (IOException | RejectedExecutionException e) {
                // Closed.
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            Request request = read(in);
            while (request != null && answer(request, connection)) {
                request = read(in);
            }
        } catch (IOException e) {
            // The client has gone, or the test is over.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.remove(connection);
        }
    }

    private static @Nullable Request read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0 || head.length() > HEADER_BYTES_MAX) {
                return null;
            }
            head.append((char) next);
        }
        String[] lines = head.toString().split("\r\n");
        String[] first = lines[0].split(" ");
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.put(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        return new Request(first[0], first[1], headers, in.readNBytes(length));
    }

    /** Whether the connection may be used again. */
    private boolean answer(Request request, Socket connection) throws IOException, InterruptedException {
        String name = request.name();
        String id = request.headers.get("x-ms-proposed-lease-id");
        seen.add(name + " " + request.path + (id == null ? "" : " " + id));
        Rule rule = rules.stream()
                .filter(each -> name.startsWith(each.request) && each.left.getAndDecrement() > 0)
                .findFirst()
                .orElse(null);
        Effect effect = rule == null ? null : rule.effect;
        if (rule != null && effect == Effect.REFUSE) {
            Map<String, List<String>> headers = new LinkedHashMap<>();
            headers.put("x-ms-request-id", List.of("refused"));
            rule.headers.forEach((header, value) -> headers.put(header, List.of(value)));
            write(connection, rule.status, headers, new byte[0]);
            return true;
        }
        if (effect == Effect.LOSE_REQUEST) {
            TimeUnit.SECONDS.sleep(SILENT_SECONDS);
            return false;
        }
        if (effect == Effect.DELAY || effect == Effect.LONG_DELAY) {
            Duration delay = effect == Effect.DELAY ? DELAY : LONG_DELAY;
            TimeUnit.MILLISECONDS.sleep(delay.toMillis());
        }
        HttpResponse<byte[]> answer = handOn(request);
        if (effect == Effect.LOSE_ANSWER) {
            TimeUnit.SECONDS.sleep(SILENT_SECONDS);
            return false;
        }
        write(connection, answer.statusCode(), answer.headers().map(), answer.body());
        return true;
    }

    private HttpResponse<byte[]> handOn(Request request) throws IOException, InterruptedException {
        HttpRequest.Builder handedOn = HttpRequest.newBuilder(URI.create(to + request.path))
                .timeout(ANSWER)
                .method(request.method, HttpRequest.BodyPublishers.ofByteArray(request.body));
        request.headers.forEach((header, value) -> {
            if (!NOT_HANDED_ON.contains(header)) {
                handedOn.header(header, value);
            }
        });
        return client.send(handedOn.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private void write(Socket connection, int status, Map<String, List<String>> headers, byte[] body)
            throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " status\r\n");
        headers.forEach((header, values) -> {
            String lower = header.toLowerCase(Locale.ROOT);
            if (!NOT_HANDED_ON.contains(lower) && !lower.equals("date")) {
                values.forEach(
                        value -> head.append(header).append(": ").append(value).append("\r\n"));
            }
        });
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                ZonedDateTime.now(ZoneOffset.UTC).plus(ahead));
        if (!isDateHidden) {
            head.append("Date: ").append(date).append("\r\n");
        }
        head.append("Content-Length: ").append(body.length);
        head.append("\r\n\r\n");
        OutputStream out = connection.getOutputStream();
        out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        out.write(body);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket connection : connections) {
            connection.close();
        }
        threads.shutdownNow();
    }
}
