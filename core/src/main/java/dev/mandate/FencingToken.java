package dev.mandate;

/**
 * The number of a term: strictly larger for every later term of the same election, for the life of the store's data. Hand it to every
 * resource the leader writes to, and have the resource refuse a smaller one than the largest it has seen.
 *
 * <p>Tokens of different elections are not comparable.
 *
 * @param election the election's name
 * @param value the term, positive
 */
public record FencingToken(String election, long value) {
    /** The number alone, as it is written to a resource. */
    @Override
    public String toString() {
        return Long.toString(value);
    }
}
