package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The lengths of other programs' leases: the TTLs of their sessions, each asked for once. The lease is unknown if the
 * session has no TTL or this token may not read it. Thread-safe.
 */
final class ForeignLeases {
    private static final int SESSIONS_MAX = 1_000;
    private static final int TEXT_MAX = 40;
    private static final Pattern PART = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,9})?)(h|ms|m|s)");

    private final ConsulHttp http;
    private final Map<String, Optional<Duration>> leases = new LinkedHashMap<>();

    ForeignLeases(ConsulHttp http) {
        this.http = http;
    }

    /** The result of an earlier request, or null. */
    private synchronized @Nullable Optional<Duration> found(String session) {
        return leases.get(session);
    }

    /** The lease if it is already known. */
    Optional<Duration> known(String session) {
        Optional<Duration> found = found(session);
        return found == null ? Optional.empty() : found;
    }

    /** The lease, requested if not yet known. Never fails. */
    CompletionStage<Optional<Duration>> of(String session, CallContext call) {
        Optional<Duration> found = found(session);
        boolean isId = session.matches("[0-9a-fA-F-]{36}");
        if (found != null || !isId) {
            return CompletableFuture.completedStage(found == null ? Optional.empty() : found);
        }
        return http.get("reading the session " + session, "session/info/" + session, "", ConsulHttp.Lane.ORDINARY, call)
                .handle((answer, why) -> answer == null || answer.status() >= 500
                        ? Optional.<Duration>empty()
                        : remembered(session, answer));
    }

    private synchronized Optional<Duration> remembered(String session, Answer answer) {
        Optional<Duration> lease;
        try {
            lease = answer.isOk() ? parsed(ConsulJson.field(answer.body(), "TTL")) : Optional.empty();
        } catch (IOException e) {
            lease = Optional.empty();
        }
        leases.put(session, lease);
        if (leases.size() > SESSIONS_MAX) {
            leases.remove(leases.keySet().iterator().next());
        }
        return lease;
    }

    /** Parses a Go duration: {@code 30s}, {@code 1m30s}, {@code 1.5h}; empty for anything else. */
    static Optional<Duration> parsed(String text) {
        Matcher part = PART.matcher(text);
        BigDecimal millis = BigDecimal.ZERO;
        int at = 0;
        while (text.length() <= TEXT_MAX && at < text.length() && part.find(at) && part.start() == at) {
            long unit = switch (part.group(2)) {
                case "h" -> 3_600_000;
                case "m" -> 60_000;
                case "s" -> 1_000;
                default -> 1;
            };
            millis = millis.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit)));
            at = part.end();
        }
        long whole = millis.longValue();
        return at == 0 || at < text.length() || whole <= 0 ? Optional.empty() : Optional.of(Duration.ofMillis(whole));
    }
}
