package dev.mandate.spi;

/** News from a watch. A hint may be late, doubled, missing or out of order: it makes the engine look, it never proves. */
public sealed interface Hint permits Hint.Seen, Hint.Gap, Hint.Closed {

    /** Something changed at one key, and this is what it looked like. */
    record Seen(Observation observation) implements Hint {}

    /** Changes may have been missed, or which keys changed is not known: look at everything. */
    enum Gap implements Hint {
        INSTANCE
    }

    /** The watch is over and will not come back by itself; polling goes on, and the client opens another one later. */
    record Closed(String reason) implements Hint {}
}
