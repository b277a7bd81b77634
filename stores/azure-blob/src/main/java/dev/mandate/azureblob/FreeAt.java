package dev.mandate.azureblob;

import dev.mandate.spi.Basis;

/**
 * The blob has no lease.
 *
 * @param etag the blob's version; empty if there is no blob
 * @param term the term of the record still in the blob; 0 if there is none
 * @param changedMillis if there is no record: when the blob was last changed, by the service's clock to the second, in
 *     milliseconds since 1970; 0 if not known or not needed
 */
record FreeAt(String etag, long term, long changedMillis) implements Basis {
    /** There is no blob, or no container. */
    static final FreeAt NOWHERE = new FreeAt("", 0, 0);

    boolean isNowhere() {
        return etag.isEmpty();
    }
}
