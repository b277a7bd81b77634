package dev.mandate.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Reads a stream of events, on a thread of its own. Speaks HTTP/1.0, which knows no chunks. */
final class EventReader implements AutoCloseable {
    private final Socket socket;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private volatile boolean isOver;

    record Event(String name, Map<String, Object> data, long nanos) {}

    EventReader(Served served) throws IOException {
        this(served.connect(), "");
    }

    EventReader(Socket socket, String header) throws IOException {
        this.socket = socket;
        socket.getOutputStream()
                .write(("GET /v1/events HTTP/1.0\r\nHost: localhost\r\n" + header + "\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        Thread thread = new Thread(this::read, "event-reader");
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            String name = "";
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("event: ")) {
                    name = line.substring("event: ".length());
                } else if (line.startsWith("data: ")) {
                    events.add(new Event(name, JsonTree.object(line.substring("data: ".length())), System.nanoTime()));
                }
            }
        } catch (IOException e) {
            // Closed, by whomever.
        }
        isOver = true;
    }

    boolean isOver() {
        return isOver;
    }

    /** The next event of that name that is as wanted; those before it are skipped. */
    Event await(String name, Predicate<Map<String, Object>> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + Served.PLENTY.toNanos();
        while (true) {
            Event next = events.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new AssertionError("no such event within " + Served.PLENTY + ": " + name);
            }
            if (next.name().equals(name) && wanted.test(next.data())) {
                return next;
            }
        }
    }

    /** The next event, if one comes in time. */
    java.util.Optional<Event> next(Duration atMost) throws InterruptedException {
        return java.util.Optional.ofNullable(events.poll(atMost.toNanos(), TimeUnit.NANOSECONDS));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
