package dev.mandate.cli.run;

import java.util.List;
import java.util.function.Consumer;
import sun.misc.Signal;

/**
 * Handles the signals that can be passed on. Not {@code QUIT}: the JVM keeps it and answers with a thread dump. Not
 * {@code TSTP}: it stops this process as {@code STOP} does, and a stopped process loses leadership.
 */
final class Signals {
    private static final List<String> ALL = List.of("INT", "TERM", "HUP", "USR1", "USR2", "ALRM", "WINCH", "CONT");

    private Signals() {}

    /**
     * Calls {@code handler}, on a thread of its own, with the name of each signal that arrives. Signals ignored when
     * this process started stay ignored, such as {@code HUP} under {@code nohup}.
     */
    static void handle(Consumer<String> handler) {
        for (String name : ALL) {
            try {
                Signal.handle(new Signal(name), signal -> handler.accept(signal.getName()));
            } catch (IllegalArgumentException e) {
                // Ignored at start, or reserved by the JVM (-Xrs): not ours to handle.
            }
        }
    }

    /** Whether {@code run} ends with its command after this signal. */
    static boolean ends(String name) {
        return name.equals("INT") || name.equals("TERM");
    }

    /** The number of a signal that {@link #handle} knows. */
    static int number(String name) {
        return new Signal(name).getNumber();
    }
}
