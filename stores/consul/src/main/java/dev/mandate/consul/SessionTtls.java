package dev.mandate.consul;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.support.ForeignLeases;
import dev.mandate.support.StoreCalls.Turn;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The TTLs of other programs' sessions. A session may have none, and this token may not be allowed to read it. */
final class SessionTtls {
    private static final int TEXT_MAX = 40;
    private static final Pattern PART = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,9})?)(h|ms|m|s)");

    private SessionTtls() {}

    static ForeignLeases of(ConsulHttp http) {
        return new ForeignLeases(
                held -> held.basis() instanceof LockedAt at ? at.session() : "",
                (session, call) -> requested(http, session, call));
    }

    private static CompletionStage<Optional<Duration>> requested(ConsulHttp http, String session, CallContext call) {
        if (!session.matches("[0-9a-fA-F-]{36}")) {
            return CompletableFuture.completedStage(Optional.empty());
        }
        return http.get("reading the session " + session, "session/info/" + session, "", Turn.ORDINARY, call)
                .thenApply(answer -> {
                    if (answer.status() >= 500) {
                        throw new StoreUnavailableException(http.name() + ": " + answer.text());
                    }
                    try {
                        return answer.isOk() ? parsed(ConsulJson.field(answer.body(), "TTL")) : Optional.empty();
                    } catch (IOException e) {
                        return Optional.empty();
                    }
                });
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
