package dev.mandate.consul;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A key in an answer.
 *
 * @param encoded its value in base64; empty if there is none
 * @param session the session that locks it; empty if none does
 * @param modifyIndex the Raft index of its last change; positive
 */
record KvEntry(String path, String encoded, String session, long modifyIndex) {

    boolean isLocked() {
        return !session.isEmpty();
    }

    /** The value as text; bytes that are not UTF-8, which Mandate did not write, are replaced. */
    String value() {
        try {
            return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
