package dev.mandate.azureblob;

import dev.mandate.spi.Basis;

/**
 * Nobody has a lease.
 *
 * @param etag the blob's version; empty if there is no blob
 * @param term that of the record that stands there still; 0 if there is none
 */
record FreeAt(String etag, long term) implements Basis {
    /** There is no blob, or no container. */
    static final FreeAt NOWHERE = new FreeAt("", 0);

    boolean isNowhere() {
        return etag.isEmpty();
    }
}
