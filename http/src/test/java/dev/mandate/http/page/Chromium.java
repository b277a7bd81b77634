package dev.mandate.http.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.mandate.http.JsonTree;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A headless Chromium, spoken to in the DevTools protocol over a pipe: it ends when the pipe does, also when this JVM
 * is killed. Safe for use from many threads.
 */
final class Chromium {
    private static final long PLENTY_SECONDS = 120;

    private static Chromium shared;

    private final Process process;
    private final OutputStream requests;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<Map<String, Object>>> waiting = new ConcurrentHashMap<>();
    private final List<Consumer<Map<String, Object>>> listeners = new CopyOnWriteArrayList<>();

    private Chromium(Process process) {
        this.process = process;
        this.requests = process.getOutputStream();
        Thread reader = new Thread(this::read, "chromium");
        reader.setDaemon(true);
        reader.start();
    }

    /** The one of this JVM. Skips the test if there is none, or fails it where a browser is demanded. */
    static synchronized Chromium shared() throws IOException {
        if (shared == null) {
            ServerBinary binary = ServerBinary.named("chromium");
            Path program = binary.require();
            shared = start(program);
            String version = String.valueOf(
                    shared.send("", "Browser.getVersion", Map.of()).get("product"));
            ServerFixture fixture = ServerFixture.named("chromium");
            String number = version.replaceAll(".*/", "");
            if (binary.isFetched()) {
                fixture.fetched(number);
            } else {
                fixture.found(number);
            }
        }
        return shared;
    }

    private static Chromium start(Path program) throws IOException {
        Path profile = Files.createTempDirectory("mandate-chromium");
        // Its pipe is descriptors 3 and 4.
        List<String> command = new ArrayList<>(
                List.of("sh", "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 1>&2 0</dev/null", program.toString()));
        command.addAll(List.of(
                "--headless",
                "--remote-debugging-pipe",
                "--user-data-dir=" + profile,
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--no-default-browser-check",
                "--no-proxy-server",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-extensions",
                "--hide-scrollbars",
                "--lang=en-GB",
                "about:blank"));
        Process process = new ProcessBuilder(command)
                .redirectError(Screenshots.folder().resolve("chromium.log").toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process, profile), "chromium-end"));
        return new Chromium(process);
    }

    private static void end(Process process, Path profile) {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit()
                .orTimeout(5, TimeUnit.SECONDS)
                .exceptionally(e -> each)
                .join());
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // A file in the system's folder for temporary ones.
        }
    }

    /** Tells everything that happens, on one thread. */
    void onEvent(Consumer<Map<String, Object>> listener) {
        listeners.add(listener);
    }

    void forget(Consumer<Map<String, Object>> listener) {
        listeners.remove(listener);
    }

    /**
     * Asks for something and waits for the answer.
     *
     * @param session of a tab; empty for the browser
     */
    Map<String, Object> send(String session, String method, Map<String, ?> parameters) {
        long number = numbers.incrementAndGet();
        CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
        waiting.put(number, answer);
        try {
            byte[] request = request(number, session, method, parameters);
            synchronized (requests) {
                requests.write(request);
                requests.flush();
            }
            Map<String, Object> all = answer.get(PLENTY_SECONDS, TimeUnit.SECONDS);
            if (all.containsKey("error")) {
                throw new AssertionError(method + ": " + all.get("error"));
            }
            return JsonTree.map(all.get("result"));
        } catch (IOException | ExecutionException | TimeoutException e) {
            throw new AssertionError(method + " was not answered by the browser, " + process.toHandle(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            waiting.remove(number);
        }
    }

    private static byte[] request(long number, String session, String method, Map<String, ?> parameters)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartObject();
            json.writeNumberField("id", number);
            json.writeStringField("method", method);
            if (!session.isEmpty()) {
                json.writeStringField("sessionId", session);
            }
            json.writeFieldName("params");
            write(json, parameters);
            json.writeEndObject();
        }
        out.write(0);
        return out.toByteArray();
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> each : map.entrySet()) {
                json.writeFieldName(String.valueOf(each.getKey()));
                write(json, each.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object each : list) {
                write(json, each);
            }
            json.writeEndArray();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else {
            json.writeString(String.valueOf(value));
        }
    }

    private void read() {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = process.getInputStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                int from = 0;
                for (int i = 0; i < count; i++) {
                    if (buffer[i] == 0) {
                        message.write(buffer, from, i - from);
                        from = i + 1;
                        take(JsonTree.object(message.toString(StandardCharsets.UTF_8)));
                        message.reset();
                    }
                }
                message.write(buffer, from, count - from);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            waiting.values().forEach(each -> each.completeExceptionally(new IOException("the browser has ended")));
        }
    }

    private void take(Map<String, Object> message) {
        if (message.get("id") instanceof Long number) {
            CompletableFuture<Map<String, Object>> answer = waiting.get(number);
            if (answer != null) {
                answer.complete(message);
            }
        } else {
            listeners.forEach(each -> each.accept(message));
        }
    }
}
