package dev.mandate.testkit.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;

/**
 * Starting JVMs takes all of a small machine. Trials take turns at it, also with other JVMs of the same user, so that
 * it does not hold up what already runs.
 */
final class StartTurn {
    private static final Path FILE = Path.of(
            System.getProperty("java.io.tmpdir"), "mandate-trials-" + System.getProperty("user.name") + ".lock");

    /** Needed because a file lock belongs to a JVM, not to a thread. */
    private static final Semaphore HERE = new Semaphore(1, true);

    private StartTurn() {}

    /** Runs {@code starts} when nobody else is starting anything. */
    static void run(Runnable starts) {
        HERE.acquireUninterruptibly();
        try (FileChannel file = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            starts.run();
        } catch (IOException e) {
            throw new UncheckedIOException("the turn to start candidates: " + FILE, e);
        } finally {
            HERE.release();
        }
    }
}
