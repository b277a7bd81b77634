package dev.mandate.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Detects that this process was started without standard input. */
final class StandardInput {
    private StandardInput() {}

    /**
     * Whether file descriptor 0 is closed, or was at start: then the first file that the JVM opened, one of its own,
     * has that number and must not become a command's input.
     */
    static boolean isClosed() {
        try {
            Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/0"));
            return target.startsWith(System.getProperty("java.home", "/nowhere"))
                    || target.toString().endsWith(".jar")
                    || target.toString().endsWith(".jsa");
        } catch (IOException | UnsupportedOperationException e) {
            return true;
        }
    }
}
