package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import java.util.function.LongConsumer;

/**
 * One start of a voter.
 *
 * @param number one more than the last start that this voter announced; 0 for none. Not unique
 * @param id random per start
 */
public record Start(long number, Id id) {
    /** No start at all. */
    public static final Start NONE = new Start(0, Id.NONE);

    /** The highest number: far from overflow, and never reached by starting. */
    public static final long NUMBER_MAX = 1L << 61;

    public Start {
        if (number < 0 || number > NUMBER_MAX) {
            throw new IllegalArgumentException(
                    "number of a start is " + number + "; the bounds are 0 and " + NUMBER_MAX);
        }
    }

    /**
     * Whether a vote of this start is void once {@code other} of the same voter is known. Two starts with one number
     * cannot be ordered, so both are void.
     */
    public boolean isVoidBeside(Start other) {
        return other.number > number || other.number == number && !other.id.equals(id);
    }

    /** For the explorer. */
    void digest(LongConsumer digest) {
        digest.accept(number);
        digest.accept(id.low());
    }
}
