package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import java.util.function.LongConsumer;

/**
 * Names one round of one call: a ballot, in Paxos terms. Ordered by counter, then by id, which only makes two differ.
 *
 * @param counter 0 to {@value #COUNTER_MAX}; the larger of one more than any seen and the wall clock in milliseconds
 * @param id random per call
 */
public record Epoch(long counter, Id id) implements Comparable<Epoch> {
    /** Far enough from the largest {@code long} that no sum overflows. */
    public static final long COUNTER_MAX = 1L << 61;

    /** Below every epoch of a call. */
    public static final Epoch NONE = new Epoch(0, Id.NONE);

    public Epoch {
        if (counter < 0 || counter > COUNTER_MAX) {
            throw new IllegalArgumentException(
                    "counter of an epoch is " + counter + "; the bounds are 0 and " + COUNTER_MAX);
        }
    }

    @Override
    public int compareTo(Epoch other) {
        int byCounter = Long.compare(counter, other.counter);
        if (byCounter != 0) {
            return byCounter;
        }
        int byHigh = Long.compareUnsigned(id.high(), other.id.high());
        return byHigh != 0 ? byHigh : Long.compareUnsigned(id.low(), other.id.low());
    }

    /** For the explorer. */
    void digest(LongConsumer digest) {
        digest.accept(counter);
        digest.accept(id.low());
    }
}
