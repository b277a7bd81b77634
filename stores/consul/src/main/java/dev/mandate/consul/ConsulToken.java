package dev.mandate.consul;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.ExchangeableSecret;
import dev.mandate.spi.StoreSecret;
import dev.mandate.spi.StoreUrl;
import java.util.Optional;

/**
 * The ACL token: the first line of a file, a variable of the environment that the URL names, or {@code CONSUL_HTTP_TOKEN}, as Consul's own
 * programs read it.
 */
final class ConsulToken {
    static final String VARIABLE = "CONSUL_HTTP_TOKEN";

    private ConsulToken() {}

    /** Reads the token that {@code url} names. */
    static ExchangeableSecret of(StoreUrl url) {
        return new ExchangeableSecret(url.parameter("tokenFile").isPresent(), () -> read(url));
    }

    private static Optional<String> read(StoreUrl url) {
        boolean isNamed = url.parameter("tokenFile").isPresent()
                || url.parameter("tokenEnv").isPresent();
        Optional<String> found = isNamed
                ? StoreSecret.of(url, "token", null)
                : Optional.ofNullable(System.getenv(VARIABLE)).filter(t -> !t.isEmpty());
        found.ifPresent(ConsulToken::requireHeader);
        return found;
    }

    /** Anything else is no token, and could not be sent. */
    private static void requireHeader(String token) {
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new StoreSetupException("the ACL token for Consul is empty or has characters that no token has;"
                    + " it is the first line of its file, or its variable, and nothing else");
        }
    }
}
