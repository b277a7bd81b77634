package dev.mandate.consul;

import dev.mandate.spi.Excerpt;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * An HTTP answer, perhaps not from Consul.
 *
 * @param index its {@code X-Consul-Index}; -1 if missing, so that it may not be from Consul
 */
record Answer(int status, long index, byte[] body) {
    private static final int TEXT_MAX = 200;

    /** Limit for text that is not from Consul, which may be a page. */
    private static final int EXCERPT_MAX = 60;

    /** Consul's status codes below 500; 429 if a server is unhealthy. */
    private static final Set<Integer> STATUS = Set.of(200, 400, 401, 403, 429);

    static Answer of(HttpResponse<byte[]> response) {
        String header = response.headers().firstValue("X-Consul-Index").orElse("");
        long index = header.matches("[0-9]{1,18}") ? Long.parseLong(header) : -1;
        return new Answer(response.statusCode(), index, response.body());
    }

    boolean isOk() {
        return status == 200;
    }

    boolean hasIndex() {
        return index >= 0;
    }

    /** Whether this looks like Consul's answer to a request about itself: no page, no redirect, no 404. */
    boolean isLikeConsuls() {
        String text = text();
        boolean isKnown = STATUS.contains(status) || status >= 500;
        boolean isRefusal = text.contains("ermission") || text.contains("ACL") || text.contains("token");
        return isKnown && !text.startsWith("<") && (status != 403 || isRefusal);
    }

    /** The status and the first few words, for answers that are not from Consul. */
    String excerpt() {
        String text = text();
        String few = Excerpt.of(text, EXCERPT_MAX);
        return "HTTP status " + status + (few.isEmpty() ? "" : ", '" + few + "'");
    }

    /** The beginning of the body, in printable ASCII. */
    String text() {
        String text = new String(body, 0, Math.min(body.length, TEXT_MAX), StandardCharsets.UTF_8);
        return text.replaceAll("[^\\x20-\\x7E]+", " ").strip();
    }
}
