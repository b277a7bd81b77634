package dev.mandate.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * All processes of one POSIX session: the supervisor, the command, and whatever they started that did not leave. The number of a session is
 * not given to another one while a process is left in it.
 */
record ProcessSession(long id) {
    private static final Path PROC = Path.of("/proc");

    /** Who is in it and alive. Zombies are not: they do nothing any more. */
    List<ProcessHandle> members() {
        List<ProcessHandle> members = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (isAliveIn(process)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(members::add);
                }
            }
        } catch (IOException e) {
            // Without /proc there is no command either: its deadline could not have been computed.
        }
        return members;
    }

    private boolean isAliveIn(Path process) {
        try {
            // Latin-1, because a process may call itself anything.
            String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
            // After the name: state, parent, group, session.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 5);
            return Long.parseLong(fields[3]) == id && !fields[0].equals("Z") && !fields[0].equals("X");
        } catch (IOException | IndexOutOfBoundsException e) {
            // It has ended meanwhile.
            return false;
        }
    }

    /** Kills until nobody is left, and says how many that took. Blocks while the kernel cannot end one of them. */
    int killAll() throws InterruptedException {
        int killed = 0;
        for (List<ProcessHandle> left = members(); !left.isEmpty(); left = members()) {
            killed += left.size();
            left.forEach(ProcessHandle::destroyForcibly);
            Thread.sleep(1);
        }
        return killed;
    }
}
