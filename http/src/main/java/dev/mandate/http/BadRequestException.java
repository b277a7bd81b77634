package dev.mandate.http;

/** A request that nothing can be made of. */
final class BadRequestException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param sentence for whoever sent it */
    BadRequestException(String sentence) {
        super(sentence, null, false, false);
    }
}
