package dev.mandate.nats;

import dev.mandate.spi.StoreAuthority;
import dev.mandate.spi.StoreSecret;
import dev.mandate.spi.StoreUrl;
import io.nats.client.Options;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who we are: a user with a password, a token, credentials, or nobody in particular.
 *
 * @param user empty for none
 * @param password a secret; null for none
 * @param token a secret; null for none
 * @param credentials null for none
 */
record Login(
        String user,
        @Nullable String password,
        @Nullable String token,
        @Nullable Credentials credentials) {
    static final Login NONE = new Login("", null, null, null);

    Login {
        long ways = List.of(!user.isEmpty(), token != null, credentials != null).stream()
                .filter(isGiven -> isGiven)
                .count();
        if (ways > 1) {
            throw new IllegalArgumentException("the store URL says in more than one way who we are; keep the user,"
                    + " tokenFile or tokenEnv, credsFile, or nkeyFile");
        }
        if (user.isEmpty() && password != null) {
            throw new IllegalArgumentException(
                    "the store URL gives a password and no user; write user@ before the host");
        }
        if (!user.isEmpty() && password == null) {
            throw new IllegalArgumentException("the store URL gives a user and no password; add passwordFile or"
                    + " passwordEnv; if it is a token, give it by tokenFile or tokenEnv");
        }
    }

    /** What {@code url} says. Reads the files that it names. */
    static Login of(StoreUrl url, String user, @Nullable String password) {
        Optional<String> creds = url.parameter("credsFile");
        Optional<String> seed = url.parameter("nkeyFile");
        if (creds.isPresent() && seed.isPresent()) {
            throw new IllegalArgumentException("the store URL gives credsFile and nkeyFile; a creds file has a seed"
                    + " of its own: leave out nkeyFile");
        }
        return new Login(
                user,
                StoreSecret.of(url, "password", password).orElse(null),
                StoreSecret.of(url, "token", null).orElse(null),
                creds.map(file -> Credentials.creds("credsFile", file))
                        .or(() -> seed.map(file -> Credentials.seed("nkeyFile", file)))
                        .orElse(null));
    }

    static Login of(StoreUrl url, StoreAuthority authority) {
        return of(url, authority.user(), authority.password().orElse(null));
    }

    boolean isNobody() {
        return user.isEmpty() && token == null && credentials == null;
    }

    /** Reads again what may have been exchanged. */
    void refresh() {
        if (credentials != null) {
            credentials.refresh();
        }
    }

    void apply(Options.Builder options) {
        if (credentials != null) {
            options.authHandler(credentials);
        } else if (token != null) {
            options.token(token.toCharArray());
        } else if (password != null) {
            options.userInfo(user.toCharArray(), password.toCharArray());
        }
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return user;
    }
}
