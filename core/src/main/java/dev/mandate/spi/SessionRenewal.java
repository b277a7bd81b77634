package dev.mandate.spi;

import java.time.Duration;

/** The answer to the renewal of a session. A renewal whose answer never came is a failed stage: unknown. */
public sealed interface SessionRenewal permits SessionRenewal.Renewed, SessionRenewal.Gone {

    /** Prolonged by {@code granted}, counted from when the request was sent. */
    static SessionRenewal renewed(Duration granted) {
        return new Renewed(granted);
    }

    /** The session is over for good; everything written under it is gone or free to take. */
    static SessionRenewal gone() {
        return Gone.INSTANCE;
    }

    /** The session lives on. */
    record Renewed(Duration granted) implements SessionRenewal {}

    /** The session is over. */
    enum Gone implements SessionRenewal {
        INSTANCE
    }
}
