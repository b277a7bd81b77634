package dev.mandate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which signals a process begins with ignored. Tests that were started in the background or by {@code nohup} hand that on to whatever they start,
 * and no shell can undo it; {@code env} can.
 */
public final class Signals {
    private static final List<String> RESET = List.of("env", "--default-signal=HUP,INT,QUIT");

    private static final String IGNORED = "SigIgn:";

    private Signals() {}

    /**
     * What to put in front of a command, so that it begins with the signals of a terminal (HUP, INT, QUIT) in force. Empty where that can't be
     * done: it takes GNU coreutils 8.31 or newer.
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
     * What this process ignores, as a bit for each signal, that of number 1 first.
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
