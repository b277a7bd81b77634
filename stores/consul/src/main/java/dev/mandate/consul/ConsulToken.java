package dev.mandate.consul;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreSecret;
import dev.mandate.spi.StoreUrl;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The ACL token: the first line of a file, a variable of the environment that the URL names, or {@code CONSUL_HTTP_TOKEN}, as Consul's own
 * programs read it. A file is read again after a refusal, so that a token can be exchanged while candidates run.
 */
final class ConsulToken {
    /** What a file is read again for at most that often. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final String VARIABLE = "CONSUL_HTTP_TOKEN";

    private final StoreUrl url;
    private volatile Optional<String> token;
    private volatile long readAtNanos;

    /** Reads the token that {@code url} names. */
    ConsulToken(StoreUrl url) {
        this.url = url;
        this.token = read();
        this.readAtNanos = System.nanoTime();
    }

    private Optional<String> read() {
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

    Optional<String> current() {
        return token;
    }

    /** The token was refused: whether there is another one now. Blocks for as long as the file takes to read. */
    boolean hasAnother() {
        if (url.parameter("tokenFile").isEmpty() || System.nanoTime() - readAtNanos < AGAIN_NANOS) {
            return false;
        }
        readAtNanos = System.nanoTime();
        Optional<String> before = token;
        try {
            token = read();
        } catch (StoreSetupException e) {
            // Being exchanged, perhaps. The refusal says all there is to say.
            return false;
        }
        return !token.equals(before);
    }
}
