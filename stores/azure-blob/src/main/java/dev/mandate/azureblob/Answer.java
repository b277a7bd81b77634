package dev.mandate.azureblob;

/**
 * What the service said to a request that changes something: it is done, or it is not and never will be.
 *
 * @param code why it is not; empty if it is done
 * @param etag the blob's version after it, without quotes; empty if that was not told
 * @param clockMillis the service's clock, to the second, in milliseconds since 1970; 0 if that was not told
 */
record Answer(String code, String etag, long clockMillis) {
    boolean isDone() {
        return code.isEmpty();
    }

    boolean is(String other) {
        return code.equals(other);
    }
}
