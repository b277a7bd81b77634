package dev.mandate.cli.run;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Finds a command as a shell would, so that a mistyped one is reported before anybody campaigns. */
final class CommandLookup {
    private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    private final String searchPath;

    CommandLookup(String searchPath) {
        this.searchPath = searchPath.isEmpty() ? DEFAULT_PATH : searchPath;
    }

    /**
     * Checks that {@code command} can be started.
     *
     * @throws Failure with 127 if there is no such command, 126 if it cannot be executed
     */
    void require(String command) {
        try {
            if (command.contains("/")) {
                requireFile(command);
            } else {
                requireOnPath(command);
            }
        } catch (InvalidPathException e) {
            // This locale cannot express the name as a path. Starting the command will show whether it exists.
        }
    }

    /** Whether {@code command} is on the path and can be executed. */
    boolean finds(String command) {
        for (String folder : searchPath.split(":", -1)) {
            Path file = Path.of(folder.isEmpty() ? "." : folder, command);
            if (Files.isExecutable(file) && !Files.isDirectory(file)) {
                return true;
            }
        }
        return false;
    }

    private static void requireFile(String command) {
        Path file = Path.of(command);
        if (!Files.exists(file)) {
            throw new Failure(ExitCode.NOT_FOUND, "there is no command '" + command + "'; check the path");
        }
        if (Files.isDirectory(file)) {
            throw new Failure(ExitCode.NOT_EXECUTABLE, "'" + command + "' is a folder, not a command");
        }
        if (!Files.isExecutable(file)) {
            throw new Failure(
                    ExitCode.NOT_EXECUTABLE,
                    "'" + command + "' cannot be executed; chmod +x it, or name its interpreter");
        }
    }

    private void requireOnPath(String command) {
        if (command.isEmpty()) {
            throw new Failure(ExitCode.NOT_FOUND, "the command is empty; give one after --");
        }
        if (finds(command)) {
            return;
        }
        for (String folder : searchPath.split(":", -1)) {
            Path file = Path.of(folder.isEmpty() ? "." : folder, command);
            if (Files.isRegularFile(file)) {
                throw new Failure(
                        ExitCode.NOT_EXECUTABLE,
                        "'" + file + "' cannot be executed; chmod +x it, or name its interpreter");
            }
        }
        throw new Failure(ExitCode.NOT_FOUND, "there is no command '" + command + "' on the PATH");
    }
}
