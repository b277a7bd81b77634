package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessSessionTest {
    private final ProcessSession session = new ProcessSession(7);

    @TempDir
    private Path process;

    private void stat(String text) throws IOException {
        Files.writeString(process.resolve("stat"), text);
    }

    @Test
    void aProcessOfTheSessionIsAliveUnlessItIsAZombie() throws IOException {
        stat("12 (a) b) S 1 12 7 0 -1");
        assertThat(session.isAliveIn(process)).isTrue();
        stat("12 (a) b) Z 1 12 7 0 -1");
        assertThat(session.isAliveIn(process)).isFalse();
        stat("12 (a) b) S 1 12 8 0 -1");
        assertThat(session.isAliveIn(process)).isFalse();
    }

    @Test
    void aZombieIsAliveWhileThreadsOfItGoOn() throws IOException {
        stat("12 (a) Z 1 12 7 0 -1");
        thread(12, "Z");
        thread(13, "Z");
        assertThat(session.isAliveIn(process)).as("held by a debugger").isFalse();
        thread(14, "S");
        assertThat(session.isAliveIn(process)).isTrue();
    }

    private void thread(int number, String state) throws IOException {
        Path folder = Files.createDirectories(process.resolve("task").resolve(Integer.toString(number)));
        Files.writeString(folder.resolve("stat"), number + " (a) " + state + " 1 12 7 0 -1");
    }

    /** As another user's process is, for who may not kill it: it is looked for ever more rarely. */
    @Test
    void whoCannotBeKilledIsNotLookedForWithoutPause() throws Exception {
        // A zombie, because its parent does not collect it; to be found in a /proc that says it is alive.
        Process parent = new ProcessBuilder("sh", "-c", "sleep 100 & echo $!; exec sleep 100").start();
        try {
            String deathless = parent.inputReader().readLine();
            Path folder = Files.createDirectory(process.resolve(deathless));
            Files.writeString(folder.resolve("stat"), deathless + " (sleep) S 1 7 7 0 -1");
            CompletableFuture.runAsync(
                    () -> {
                        try {
                            Path ended =
                                    Files.writeString(process.resolve("stat"), deathless + " (sleep) Z 1 7 7 0 -1");
                            Files.move(ended, folder.resolve("stat"), StandardCopyOption.ATOMIC_MOVE);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    },
                    CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS));

            // One a look: 1, 2, 4 ms after the one before, and so on.
            assertThat(new ProcessSession(7, process).killAll()).isBetween(1, 15);
        } finally {
            parent.destroyForcibly();
        }
    }

    @Test
    void whatIsNotThereHasEnded() throws IOException {
        assertThat(session.isAliveIn(process)).isFalse();
    }

    @Test
    void whatIsThereAndCannotBeReadHasNotEnded() throws IOException {
        // Reading a folder fails, as reading a file does when descriptors have run out.
        Files.createDirectory(process.resolve("stat"));

        assertThatThrownBy(() -> session.isAliveIn(process)).isInstanceOf(IOException.class);
    }
}
