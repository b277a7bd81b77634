package dev.mandate.azureblob;

/**
 * The service's answer to a change: it was done, or it was not and never will be.
 *
 * @param code the error code; empty if it was done
 * @param etag the blob's version afterwards, without quotes; empty if not given
 * @param clockMillis the service's clock, to the second, in milliseconds since 1970; 0 if not given
 */
record Answer(String code, String etag, long clockMillis) {
    boolean isDone() {
        return code.isEmpty();
    }

    boolean is(String other) {
        return code.equals(other);
    }
}
