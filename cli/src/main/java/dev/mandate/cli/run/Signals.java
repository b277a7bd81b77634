package dev.mandate.cli.run;

import java.util.List;
import java.util.function.Consumer;
import sun.misc.Signal;

/**
 * Takes over the signals that can be passed on. Not among them: {@code QUIT}, which the virtual machine keeps for itself and answers with a
 * dump of its threads, and {@code TSTP}, which stops this process as {@code STOP} does: whoever is stopped loses the lead.
 */
final class Signals {
    private static final List<String> ALL = List.of("INT", "TERM", "HUP", "USR1", "USR2", "ALRM", "WINCH", "CONT");

    private Signals() {}

    /**
     * Has {@code handler} called, on a thread of its own, with the name of every one of them that comes. A signal that was ignored when this
     * process started, as {@code HUP} is under {@code nohup}, stays ignored.
     */
    static void handle(Consumer<String> handler) {
        for (String name : ALL) {
            try {
                Signal.handle(new Signal(name), signal -> handler.accept(signal.getName()));
            } catch (IllegalArgumentException e) {
                // Ignored at start, or used by the virtual machine itself (-Xrs): not ours to take.
            }
        }
    }

    /** Whether {@code run} ends with its command when this one has come. */
    static boolean ends(String name) {
        return name.equals("INT") || name.equals("TERM");
    }

    /** The number of a signal that {@link #handle} knows. */
    static int number(String name) {
        return new Signal(name).getNumber();
    }
}
