package dev.mandate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A group of processes on Linux, by the number of the process that leads it, or led it.
 *
 * <p>As long as a process is left in the group, nobody else gets that number. Afterwards somebody may, within seconds
 * where threads come and go, which are numbered like processes.
 */
record ProcessGroup(long id) {
    static final int STATE = 0;
    private static final int GROUP = 2;
    private static final Path PROC = Path.of("/proc");

    /** Whether that process is in it. */
    boolean has(long pid) {
        return stat(pid, GROUP).equals(Long.toString(id));
    }

    /** Whether processes are left in it, now that its leader has ended. */
    boolean isLeftBehind() {
        boolean hasMembers;
        try (Stream<Path> all = Files.list(PROC)) {
            hasMembers = all.map(process -> process.getFileName().toString())
                    .filter(name -> name.matches("[0-9]+"))
                    .anyMatch(pid -> has(Long.parseLong(pid)));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
        // In this order: while one is left, nobody gets the number.
        return hasMembers && !Files.exists(PROC.resolve(Long.toString(id)));
    }

    /** A field of the {@code stat} file, counted from the one after the name; {@code ?} if it can't be read. */
    static String stat(long pid, int field) {
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
            // The name before the fields, in parentheses, may contain anything.
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[field];
        } catch (IOException | RuntimeException e) {
            return "?";
        }
    }
}
