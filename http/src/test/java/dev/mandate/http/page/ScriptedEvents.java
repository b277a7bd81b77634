package dev.mandate.http.page;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.mandate.http.MandateHttp;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The page, and events that a test writes word by word: what a real server says seldom, late or never. */
final class ScriptedEvents implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<OutputStream> streams = new CopyOnWriteArrayList<>();
    private final AtomicInteger opened = new AtomicInteger();
    private volatile String snapshot;

    ScriptedEvents(String snapshot) throws IOException {
        this.snapshot = snapshot;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::file);
        server.createContext("/v1/events", this::stream);
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    /** How many streams were opened. */
    int opened() {
        return opened.get();
    }

    /** What the next stream begins with. */
    void snapshot(String next) {
        snapshot = next;
    }

    void send(String event, String data) throws IOException {
        for (OutputStream each : streams) {
            write(each, event, data);
        }
    }

    private static void write(OutputStream to, String event, String data) throws IOException {
        to.write(("event: " + event + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
        to.flush();
    }

    private void file(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String name = path.equals("/") ? "index.html" : path.substring(1);
        try (InputStream in = MandateHttp.class.getResourceAsStream("page/" + name)) {
            byte[] bytes = in.readAllBytes();
            exchange.getResponseHeaders()
                    .set(
                            "Content-Type",
                            switch (name) {
                                case "index.html" -> "text/html";
                                case "page.css" -> "text/css";
                                case "page.js" -> "text/javascript";
                                default -> "image/svg+xml";
                            });
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    private void stream(HttpExchange exchange) throws IOException {
        opened.incrementAndGet();
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        write(exchange.getResponseBody(), "snapshot", snapshot);
        streams.add(exchange.getResponseBody());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
