package dev.mandate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which signals a process starts with ignored. Tests started in the background or by {@code nohup} pass that on to
 * every child, and no shell can undo it; {@code env} can.
 */
public final class Signals {
    private static final List<String> RESET = List.of("env", "--default-signal=HUP,INT,QUIT");

    private static final String IGNORED = "SigIgn:";

    private Signals() {}

    /**
     * What to put in front of a command, so that it starts with the signals of a terminal (HUP, INT, QUIT) in force.
     * Empty where that is impossible: it takes GNU coreutils 8.31 or newer.
     */
    public static List<String> reset() {
        return canBeReset() ? RESET : List.of();
    }

    private static boolean canBeReset() {
        List<String> probe = new ArrayList<>(RESET);
        probe.add("true");
        try {
            return new ProcessBuilder(probe)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * The signals that this process ignores, one bit each, signal 1 first.
     *
     * @throws UncheckedIOException where there is no {@code /proc}
     */
    public static long ignored() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith(IGNORED))
                    .mapToLong(line -> Long.parseUnsignedLong(
                            line.substring(IGNORED.length()).strip(), 16))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
