package dev.mandate.spi;

/** News from a watch. It may be late, doubled, missing or out of order: it makes the engine read and proves nothing. */
public sealed interface Hint permits Hint.Seen, Hint.Gap, Hint.Closed {

    /** Something changed at one key, and the observation shows it. */
    record Seen(Observation observation) implements Hint {}

    /** Changes may have been missed, or it is unknown which keys changed: read everything. */
    enum Gap implements Hint {
        INSTANCE
    }

    /** The watch is over for good; polling goes on, and the client opens another one later. */
    record Closed(String reason) implements Hint {}
}
