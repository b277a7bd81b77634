package dev.mandate;

/**
 * The number of a term: every later term of the same election has a strictly larger one, as long as the store keeps
 * its data. Pass it to every resource the leader writes to, and let the resource reject a token smaller than the
 * largest it has seen.
 *
 * <p>Tokens of different elections are not comparable.
 *
 * @param election the election's name
 * @param value the term, positive
 */
public record FencingToken(String election, long value) {
    /** The number alone, as written to a resource. */
    @Override
    public String toString() {
        return Long.toString(value);
    }
}
