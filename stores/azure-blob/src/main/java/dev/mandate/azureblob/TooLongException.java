package dev.mandate.azureblob;

import java.io.IOException;

/** An answer is longer than any from the blob service. */
final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLongException(long bytesMax) {
        super("an answer has more than " + bytesMax + " bytes");
    }
}
