package dev.mandate.cli.run;

import java.util.List;
import java.util.function.Consumer;
import sun.misc.Signal;

/** Takes over the signals that would end this process. */
final class Signals {
    private Signals() {}

    /**
     * Has {@code handler} called, on a thread of its own, with the name of every {@code INT}, {@code TERM} and {@code HUP} that comes. A
     * signal that was ignored when this process started, as under {@code nohup}, stays ignored.
     */
    static void handle(Consumer<String> handler) {
        for (String name : List.of("INT", "TERM", "HUP")) {
            try {
                Signal.handle(new Signal(name), signal -> handler.accept(signal.getName()));
            } catch (IllegalArgumentException e) {
                // Ignored at start, or used by the virtual machine itself (-Xrs): not ours to take.
            }
        }
    }

    /** The number of a signal that {@link #handle} knows. */
    static int number(String name) {
        return new Signal(name).getNumber();
    }
}
