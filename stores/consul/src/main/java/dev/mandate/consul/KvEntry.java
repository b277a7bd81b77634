package dev.mandate.consul;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A key as Consul shows it.
 *
 * @param encoded its value in base64; empty if there is none
 * @param session what locks it; empty if nothing does
 * @param modifyIndex the Raft index of its last change; positive
 */
record KvEntry(String path, String encoded, String session, long modifyIndex) {

    boolean isLocked() {
        return !session.isEmpty();
    }

    /** What is no UTF-8 is replaced: it was not written by Mandate. */
    String value() {
        try {
            return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
