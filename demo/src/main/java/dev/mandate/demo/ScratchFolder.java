package dev.mandate.demo;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A new folder, deleted with its content when this is closed or the process ends. */
final class ScratchFolder implements AutoCloseable {
    private final Path path;
    private final Thread atExit = new Thread(this::delete, "demo-scratch");

    /**
     * Creates the folder.
     *
     * @throws Failure if it cannot be created
     */
    ScratchFolder() {
        try {
            path = Files.createTempDirectory("mandate-demo-");
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.SETUP,
                    "cannot create a temporary folder (" + e.getMessage() + "); give a store with --store",
                    e);
        }
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    Path path() {
        return path;
    }

    private void delete() {
        try (Stream<Path> all = Files.walk(path)) {
            // The walk lists a folder before its content.
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path each : deepestFirst) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            // What is left is in the folder for temporary files.
        }
    }

    @Override
    public void close() {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This process is ending already; the hook does the same.
        }
    }
}
