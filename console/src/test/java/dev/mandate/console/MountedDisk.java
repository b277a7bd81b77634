package dev.mandate.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/** A small disk of its own, in memory. Needs root, and the right to mount. Closing takes it away. */
public final class MountedDisk implements AutoCloseable {
    private final Path folder;

    private MountedDisk(Path folder) {
        this.folder = folder;
    }

    /**
     * Mounts one on {@code folder}, which is made.
     *
     * @throws TestAbortedException where that is not allowed: the test counts as skipped
     */
    public static MountedDisk on(Path folder, int kilobytes) {
        try {
            Files.createDirectories(folder);
            if (command("mount", "-t", "tmpfs", "-o", "size=" + kilobytes + "k", "mandate-test", folder.toString())
                    != 0) {
                throw new TestAbortedException("no disk can be mounted on " + folder + ": run the test as root");
            }
        } catch (IOException e) {
            throw new TestAbortedException("no disk can be mounted: " + e.getMessage(), e);
        }
        return new MountedDisk(folder);
    }

    /** Where it is mounted. */
    public Path folder() {
        return folder;
    }

    /** Fills what is left of it. */
    public void fill() throws IOException {
        byte[] block = new byte[1024];
        try (var out = Files.newOutputStream(folder.resolve("fill"))) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            if (Files.getFileStore(folder).getUsableSpace() > 0) {
                throw e;
            }
        }
    }

    /** From now on it accepts no writes. */
    public void makeReadOnly() {
        require("mount", "-o", "remount,ro", folder.toString());
    }

    private static void require(String... command) {
        try {
            if (command(command) != 0) {
                throw new AssertionError(String.join(" ", command) + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int command(String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        require("umount", folder.toString());
    }
}
