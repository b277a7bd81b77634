package dev.mandate.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;

/** A file that blocks its readers, as on a mount whose server is gone. It is a link to a pipe that nobody writes to. */
public final class HangingFile implements AutoCloseable {
    private final Path file;
    private final Path pipe;
    private final CompletableFuture<OutputStream> writer = new CompletableFuture<>();

    /** Does nothing yet. */
    public HangingFile(Path file) {
        this.file = file;
        this.pipe = file.resolveSibling(file.getFileName() + ".pipe");
    }

    /** From now on readers of the file block. */
    public void begin() throws IOException, InterruptedException {
        Process made = new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start();
        if (made.waitFor() != 0) {
            throw new IOException("mkfifo " + pipe + " ended with " + made.exitValue());
        }
        Thread thread = new Thread(this::open, "hanging-file");
        thread.setDaemon(true);
        thread.start();
        Path link = Files.createSymbolicLink(file.resolveSibling(file.getFileName() + ".link"), pipe);
        Files.move(link, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Waits for a reader. */
    private void open() {
        try {
            writer.complete(Files.newOutputStream(pipe));
        } catch (IOException e) {
            writer.completeExceptionally(e);
        }
    }

    /** Whether a reader has opened it. */
    public boolean isRead() {
        return writer.isDone();
    }

    /** Makes it an ordinary file again; one of the waiting readers gets the content, the others nothing. */
    public void end(String content) throws IOException {
        Rotation.write(file, content + "\n");
        close(content + "\n");
    }

    private void close(String content) throws IOException {
        if (!Files.exists(pipe)) {
            return;
        }
        // A pipe opened for reading and writing does not block, and releases the writer thread.
        try (RandomAccessFile both = new RandomAccessFile(pipe.toFile(), "rw");
                OutputStream mine = writer.join()) {
            mine.write(content.getBytes(StandardCharsets.UTF_8));
            Files.delete(pipe);
        }
    }

    /** Releases all waiting readers. Idempotent. */
    @Override
    public void close() throws IOException {
        close("");
    }
}
