package dev.mandate.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All processes of one POSIX session: the supervisor, the command, and what they started and did not leave it. The
 * system does not reuse a session's number while a process is left in it.
 */
record ProcessSession(long id, Path proc) {
    /** The pause after a failed look. */
    private static final long UNKNOWN_MILLIS = 20;
    /** The longest pause while looks find the same processes. */
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    ProcessSession(long id) {
        this(id, Path.of("/proc"));
    }

    /**
     * The living processes in it. Zombies do not count, unless threads of theirs go on after the first.
     *
     * @throws IOException if that cannot be determined, for instance without free file descriptors
     */
    List<ProcessHandle> members() throws IOException {
        List<ProcessHandle> members = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (isAliveIn(process)) {
                    Optional<ProcessHandle> member = ProcessHandle.of(
                            Long.parseLong(process.getFileName().toString()));
                    if (member.isEmpty() && isAliveIn(process)) {
                        throw new IOException(process + " is alive and cannot be read");
                    }
                    member.ifPresent(members::add);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return members;
    }

    /** Whether this folder of {@code /proc} is that of a living process in this session. */
    boolean isAliveIn(Path process) throws IOException {
        List<String> fields = fields(process.resolve("stat"));
        return !fields.isEmpty() && Long.parseLong(fields.get(3)) == id && (!isZombie(fields) || hasThreads(process));
    }

    private static boolean isZombie(List<String> fields) {
        return fields.get(0).equals("Z") || fields.get(0).equals("X");
    }

    /**
     * Whether threads of a zombie go on after the first. The number of its threads would not do: it counts dead ones
     * while a debugger holds them.
     */
    private static boolean hasThreads(Path process) throws IOException {
        Path folder = process.resolve("task");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(folder)) {
            for (Path thread : threads) {
                List<String> fields = fields(thread.resolve("stat"));
                if (!fields.isEmpty() && !isZombie(fields)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | DirectoryIteratorException e) {
            if (!Files.isReadable(folder)) {
                return false;
            }
            throw e instanceof DirectoryIteratorException inside ? inside.getCause() : (IOException) e;
        }
    }

    /** The fields after the name: state, parent, group, session and so on; none if the process or thread has ended. */
    private static List<String> fields(Path file) throws IOException {
        try {
            // Latin-1, because a process name may hold any bytes.
            String stat = Files.readString(file, StandardCharsets.ISO_8859_1);
            return List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
        } catch (IOException e) {
            // isReadable needs no descriptor: false if it has ended, or another user's is hidden from us.
            if (!Files.isReadable(file)) {
                return List.of();
            }
            throw e;
        }
    }

    /**
     * Kills until no process is left; returns how many it killed. Blocks while the kernel cannot end one of them, and
     * while it is unknown whether one is left. If the same ones remain, for instance because this user may not kill
     * them, it looks less and less often, down to once a second.
     */
    int killAll() throws InterruptedException {
        int killed = 0;
        long pauseMillis = 1;
        List<ProcessHandle> before = List.of();
        while (true) {
            try {
                List<ProcessHandle> left = members();
                if (left.isEmpty()) {
                    return killed;
                }
                killed += left.size();
                left.forEach(ProcessHandle::destroyForcibly);
                pauseMillis = left.equals(before) ? Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis) : 1;
                before = left;
                Thread.sleep(pauseMillis);
            } catch (IOException e) {
                Thread.sleep(UNKNOWN_MILLIS);
            }
        }
    }
}
