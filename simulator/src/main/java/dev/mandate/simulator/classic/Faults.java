package dev.mandate.simulator.classic;

/** What goes wrong in a random schedule. */
enum Faults {
    CRASHES("nodes crash, and restart after 1 to 9 s"),
    PAUSES("nodes are paused for 1 to 9 s"),
    SPLITS("the network splits for 2 to 10 s"),
    LOSS("20 % of messages are lost, 5 % are late"),
    ALL("all of that");

    private final String text;

    Faults(String text) {
        this.text = text;
    }

    /** The text for people. */
    String text() {
        return text;
    }

    /** Whether {@code kind} is among these faults. */
    boolean has(Faults kind) {
        return this == kind || this == ALL;
    }
}
