package dev.mandate.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/** Gives the number of a dead process to another one, as happens by itself once all numbers have been used. */
public final class ReusedNumber {
    private static final Path LAST = Path.of("/proc/sys/kernel/ns_last_pid");
    private static final int TRIES = 2_000;

    private ReusedNumber() {}

    /**
     * Starts a process that has this number and leads the group of this number, and repeats each line it is sent. The
     * number must be free.
     *
     * @throws TestAbortedException if this system or this user can't choose numbers
     */
    public static CandidateProcess start(long number) {
        for (int i = 0; i < TRIES; i++) {
            try {
                // Starting a process may take more than one number, and those before it may be taken.
                Files.writeString(LAST, Long.toString(number - 1 - i % 12));
            } catch (IOException e) {
                throw new TestAbortedException("only root on Linux says which number comes next: " + e);
            }
            CandidateProcess started = CandidateProcess.command("cat").start();
            if (started.pid() == number) {
                return started;
            }
            started.close();
        }
        throw new AssertionError("no process got the number " + number + " in " + TRIES + " tries");
    }
}
