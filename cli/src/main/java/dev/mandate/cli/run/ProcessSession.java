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
 * All processes of one POSIX session: the supervisor, the command, and whatever they started that did not leave. The number of a session is
 * not given to another one while a process is left in it.
 */
record ProcessSession(long id, Path proc) {
    /** From one look that failed to the next. */
    private static final long UNKNOWN_MILLIS = 20;
    /** From one look to the next where the last ones found the same processes. */
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    ProcessSession(long id) {
        this(id, Path.of("/proc"));
    }

    /**
     * Who is in it and alive. Zombies are not: they do nothing any more.
     *
     * @throws IOException if that cannot be told, for want of file descriptors for instance
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

    /** Whether that folder of {@code /proc} is of a process in this session. */
    boolean isAliveIn(Path process) throws IOException {
        Path file = process.resolve("stat");
        try {
            // Latin-1, because a process may call itself anything.
            String stat = Files.readString(file, StandardCharsets.ISO_8859_1);
            // After the name: state, parent, group, session.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 5);
            return Long.parseLong(fields[3]) == id && !fields[0].equals("Z") && !fields[0].equals("X");
        } catch (IOException e) {
            // Asked without a descriptor: it has ended meanwhile, or is another user's and hidden from us.
            if (!Files.isReadable(file)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Kills until nobody is left, and says how many that took. Blocks while the kernel cannot end one of them, and while it cannot be told
     * whether somebody is left. Where only the same are left, whom this user may not kill for instance, it looks ever more rarely, down to
     * once a second.
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
