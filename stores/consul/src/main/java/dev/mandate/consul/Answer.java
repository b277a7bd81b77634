package dev.mandate.consul;

import dev.mandate.spi.Excerpt;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * An answer of whatever listens there.
 *
 * @param index what it says of the age of its data; -1 if it does not, so that it may be no Consul
 */
record Answer(int status, long index, byte[] body) {
    private static final int TEXT_MAX = 200;

    /** Of what a stranger wrote, which may be a page. */
    private static final int EXCERPT_MAX = 60;

    /** With what it answers beside errors of its own; 429 if a server is not well. */
    private static final Set<Integer> STATUS = Set.of(200, 400, 401, 403, 429);

    boolean isOk() {
        return status == 200;
    }

    boolean hasIndex() {
        return index >= 0;
    }

    /** Whether Consul answers what it is asked of itself like this: no page, no redirect, and nothing that is missing. */
    boolean isLikeConsuls() {
        String text = text();
        boolean isKnown = STATUS.contains(status) || status >= 500;
        boolean isRefusal = text.contains("ermission") || text.contains("ACL") || text.contains("token");
        return isKnown && !text.startsWith("<") && (status != 403 || isRefusal);
    }

    /** What a stranger said: the status, and a few words. */
    String excerpt() {
        String text = text();
        String few = Excerpt.of(text, EXCERPT_MAX);
        return "HTTP status " + status + (few.isEmpty() ? "" : ", '" + few + "'");
    }

    /** The beginning of the body, fit to be shown. */
    String text() {
        String text = new String(body, 0, Math.min(body.length, TEXT_MAX), StandardCharsets.UTF_8);
        return text.replaceAll("[^\\x20-\\x7E]+", " ").strip();
    }
}
