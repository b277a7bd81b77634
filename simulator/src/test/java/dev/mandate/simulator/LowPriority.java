package dev.mandate.simulator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets the tests of other modules run first: they measure real time, a simulation only needs processors. Lowers the
 * priority of this process for good, before the first test; does nothing where the system has no {@code renice}.
 */
public final class LowPriority implements BeforeAllCallback {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final AtomicBoolean REQUESTED = new AtomicBoolean();

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!REQUESTED.getAndSet(true)) {
            request();
        }
    }

    private static void request() {
        List<String> command = new ArrayList<>(List.of("renice", "-n", "19", "-p"));
        try (Stream<Path> threads = Files.list(THREADS)) {
            // On Linux each thread has a priority of its own, and hands it to the threads it starts.
            threads.forEach(thread -> command.add(thread.getFileName().toString()));
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            System.out.println("simulator: runs at normal priority: " + e.getMessage());
        }
    }
}
