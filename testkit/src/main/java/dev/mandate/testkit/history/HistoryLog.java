package dev.mandate.testkit.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A file of events, each written by one system call, so it is there however the process ends. Thread-safe. */
public final class HistoryLog implements AutoCloseable {
    /** The ending of the names of these files. */
    static final String ENDING = ".history";

    /** Not a channel: interrupting a thread that writes closes a channel, and tasks are interrupted. */
    private final OutputStream file;

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
        this.file = new FileOutputStream(
                folder.resolve(node + "." + incarnation + ENDING).toFile(), true);
    }

    /** Reports an event of now. */
    public void tell(EventKind kind, long number, String text) {
        tell(System.nanoTime(), kind, number, text);
    }

    /** Reports an event of an instant by {@link System#nanoTime()}. */
    public synchronized void tell(long nanos, EventKind kind, long number, String text) {
        tell(new Event(nanos, node, incarnation, kind, number, text));
    }

    /** Reports an event of another process. */
    public synchronized void tell(Event event) {
        try {
            file.write((event.json() + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("the history of " + node + " can't be written", e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
