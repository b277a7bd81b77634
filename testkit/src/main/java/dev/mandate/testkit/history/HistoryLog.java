package dev.mandate.testkit.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of events. Each is written by one call to the operating system, so that what was told is there however the process ends. Safe for
 * use from many threads.
 */
public final class HistoryLog implements AutoCloseable {
    /** How the names of these files end. */
    static final String ENDING = ".history";

    private final FileChannel file;
    private final String node;
    private final int incarnation;

    /**
     * Opens the file of one life of a process in {@code folder}, to append to it.
     *
     * @throws IOException if it can't be written
     */
    public HistoryLog(Path folder, String node, int incarnation) throws IOException {
        this.node = node;
        this.incarnation = incarnation;
        this.file = FileChannel.open(
                folder.resolve(node + "." + incarnation + ENDING),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.APPEND);
    }

    /** Tells of now. */
    public void tell(EventKind kind, long number, String text) {
        tell(System.nanoTime(), kind, number, text);
    }

    /** Tells of an instant by {@link System#nanoTime()}. */
    public synchronized void tell(long nanos, EventKind kind, long number, String text) {
        tell(new Event(nanos, node, incarnation, kind, number, text));
    }

    /** Tells of something that befell another process. */
    public synchronized void tell(Event event) {
        ByteBuffer line = ByteBuffer.wrap((event.json() + "\n").getBytes(StandardCharsets.US_ASCII));
        try {
            while (line.hasRemaining()) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the history of " + node + " can't be written", e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
