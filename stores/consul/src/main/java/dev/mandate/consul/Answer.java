package dev.mandate.consul;

import java.nio.charset.StandardCharsets;

/**
 * An answer of whatever listens there.
 *
 * @param index what it says of the age of its data; -1 if it does not, so that it may be no Consul
 */
record Answer(int status, long index, byte[] body) {
    private static final int TEXT_MAX = 200;

    boolean isOk() {
        return status == 200;
    }

    boolean hasIndex() {
        return index >= 0;
    }

    /** The beginning of the body, fit to be shown. */
    String text() {
        String text = new String(body, 0, Math.min(body.length, TEXT_MAX), StandardCharsets.UTF_8);
        return text.replaceAll("[^\\x20-\\x7E]+", " ").strip();
    }
}
