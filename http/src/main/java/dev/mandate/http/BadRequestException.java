package dev.mandate.http;

/** A malformed request. */
final class BadRequestException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param sentence for the sender */
    BadRequestException(String sentence) {
        super(sentence, null, false, false);
    }
}
