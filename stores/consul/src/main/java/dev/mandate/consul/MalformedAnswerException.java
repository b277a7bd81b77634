package dev.mandate.consul;

import java.io.IOException;

/** An answer that Consul never gives. */
final class MalformedAnswerException extends IOException {
    private static final long serialVersionUID = 1L;

    MalformedAnswerException(String message) {
        super(message);
    }
}
