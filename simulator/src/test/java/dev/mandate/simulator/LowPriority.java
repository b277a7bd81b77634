package dev.mandate.simulator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Lets the tests of other modules run first: they measure real time, a simulation only needs processors. */
public final class LowPriority {
    private static final Path THREADS = Path.of("/proc/self/task");

    private LowPriority() {}

    /** Lowers the priority of this process for good; does nothing where the system has no {@code renice}. Idempotent. */
    public static void request() {
        List<String> command = new ArrayList<>(List.of("renice", "-n", "10", "-p"));
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
