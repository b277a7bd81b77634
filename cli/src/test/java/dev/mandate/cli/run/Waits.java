package dev.mandate.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How a test sees that a process has looked at something and waits again. */
final class Waits {
    private static final String WAITS = "voluntary_ctxt_switches:";

    private Waits() {}

    /** How often that process has begun to wait so far. */
    static long of(ProcessHandle process) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith(WAITS))
                .mapToLong(line -> Long.parseLong(line.substring(WAITS.length()).strip()))
                .findFirst()
                .orElseThrow();
    }
}
