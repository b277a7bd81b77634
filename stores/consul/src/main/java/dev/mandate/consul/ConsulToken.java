package dev.mandate.consul;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreSecret;
import java.util.Optional;

/** The ACL token, from a file's first line, a named variable, or {@code CONSUL_HTTP_TOKEN} as in Consul's own tools. */
final class ConsulToken {
    static final String VARIABLE = "CONSUL_HTTP_TOKEN";

    private ConsulToken() {}

    /** The token that {@code url} names; empty for none. */
    static Optional<RotatingSecret<String>> of(StoreUrl url) {
        boolean isNamed = url.parameter("tokenFile").isPresent()
                || url.parameter("tokenEnv").isPresent();
        return isNamed
                ? StoreSecret.of(url, "token", null, ConsulToken::inHeader)
                : Optional.ofNullable(System.getenv(VARIABLE))
                        .filter(token -> !token.isEmpty())
                        .map(ConsulToken::inHeader)
                        .map(RotatingSecret::fixed);
    }

    /** Rejects what can't be sent in a header. */
    private static String inHeader(String token) {
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new StoreSetupException("the ACL token for Consul is empty or has characters that no token has;"
                    + " it is the first line of its file, or its variable, and nothing else");
        }
        return token;
    }
}
