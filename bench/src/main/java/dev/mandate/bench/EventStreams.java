package dev.mandate.bench;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Reads many event streams of one server, each on its own connection, all on one thread. */
final class EventStreams implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** HTTP/1.0, so that answers are not chunked. */
    private static final String REQUEST = "GET /v1/events HTTP/1.0\r\nHost: localhost\r\n\r\n";

    private final Selector selector;
    private final List<SocketChannel> channels = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);

    private volatile @Nullable Awaited awaited;
    private final AtomicInteger ended = new AtomicInteger();

    private EventStreams(Selector selector) {
        this.selector = selector;
    }

    /** Opens the streams; returns when each has begun. */
    static EventStreams open(URI server, int count) throws InterruptedException {
        EventStreams streams = new EventStreams(selector());
        boolean isBegun = false;
        try {
            for (int i = 0; i < count; i++) {
                streams.connect(new InetSocketAddress(server.getHost(), server.getPort()));
            }
            Awaited begun = streams.expect("event: snapshot");
            Thread thread = new Thread(streams::read, "bench-streams");
            thread.setDaemon(true);
            thread.start();
            begun.await();
            isBegun = true;
            return streams;
        } catch (IOException e) {
            throw Served.failed(e);
        } finally {
            if (!isBegun) {
                streams.close();
            }
        }
    }

    private static Selector selector() {
        try {
            return Selector.open();
        } catch (IOException e) {
            throw Served.failed(e);
        }
    }

    private void connect(InetSocketAddress server) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channels.add(channel);
        channel.connect(server);
        channel.write(ByteBuffer.wrap(REQUEST.getBytes(StandardCharsets.US_ASCII)));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, new Stream());
    }

    /** From now on awaits a line with {@code text} on each stream, and no other line. */
    Awaited expect(String text) {
        Awaited next = new Awaited(text, channels.size());
        awaited = next;
        return next;
    }

    /** A line that each stream should receive once. */
    final class Awaited {
        private final String text;
        private final long[] atNanos;
        private int count;
        private final CountDownLatch missing;

        private Awaited(String text, int streams) {
            this.text = text;
            this.atNanos = new long[streams];
            this.missing = new CountDownLatch(streams);
        }

        /** Called on the thread that reads. */
        private void told(long nanos) {
            atNanos[count++] = nanos;
            missing.countDown();
        }

        /**
         * When each stream received it, earliest first ({@link System#nanoTime}).
         *
         * @throws Failure if a stream has not received it within 30 s
         */
        long[] await() throws InterruptedException {
            if (!missing.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new Failure(
                        ExitCode.UNEXPECTED,
                        missing.getCount() + " of " + atNanos.length + " streams did not receive '" + text + "' within "
                                + PATIENCE.toSeconds() + " s; " + ended + " have ended");
            }
            return atNanos;
        }
    }

    // ---- on the thread that reads ----

    /** One stream: its unfinished line, and the last awaited line that it received. */
    private static final class Stream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private @Nullable Awaited told;
    }

    private void read() {
        try {
            while (true) {
                selector.select(this::read);
            }
        } catch (IOException | ClosedSelectorException e) {
            // Closed, or await() will report what is missing.
        }
    }

    private void read(SelectionKey key) {
        try {
            int length = ((SocketChannel) key.channel()).read(buffer.clear());
            if (length < 0) {
                throw new IOException("the stream has ended");
            }
            take((Stream) key.attachment(), System.nanoTime());
        } catch (IOException e) {
            key.cancel();
            ended.incrementAndGet();
        }
    }

    private void take(Stream stream, long nanos) {
        buffer.flip();
        while (buffer.hasRemaining()) {
            byte next = buffer.get();
            if (next != '\n') {
                stream.line.write(next);
                continue;
            }
            Awaited now = awaited;
            if (now != null
                    && now != stream.told
                    && stream.line.toString(StandardCharsets.US_ASCII).contains(now.text)) {
                stream.told = now;
                now.told(nanos);
            }
            stream.line.reset();
        }
    }

    @Override
    public void close() {
        try {
            selector.close();
            for (SocketChannel each : channels) {
                each.close();
            }
        } catch (IOException e) {
            throw Served.failed(e);
        }
    }
}
