package dev.mandate.nats;

import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreSecret;
import io.nats.client.Options;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Credentials for connecting: a user with a password, a token, a key, or none.
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
    Login {
        if (!user.isEmpty() && token != null || credentials != null && (!user.isEmpty() || token != null)) {
            throw conflicting();
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

    /** The login that {@code url} gives. Reads the files that it names. */
    static RotatingSecret<Login> of(StoreUrl url, StoreAuthority authority) {
        Optional<String> creds = url.parameter("credsFile");
        Optional<String> seed = url.parameter("nkeyFile");
        if (creds.isPresent() && seed.isPresent()) {
            throw new IllegalArgumentException("the store URL gives credsFile and nkeyFile; a creds file has a seed"
                    + " of its own: leave out nkeyFile");
        }
        String user = authority.user();
        String inPlace = authority.password().orElse(null);
        List<RotatingSecret<Login>> given = Stream.of(
                        StoreSecret.of(url, "password", inPlace, password -> new Login(user, password, null, null)),
                        StoreSecret.of(url, "token", null, token -> new Login(user, null, token, null)),
                        creds.map(file -> inFile(user, file, () -> Credentials.creds("credsFile", file))),
                        seed.map(file -> inFile(user, file, () -> Credentials.seed("nkeyFile", file))))
                .flatMap(Optional::stream)
                .toList();
        if (given.size() > 1) {
            throw conflicting();
        }
        return given.isEmpty() ? RotatingSecret.fixed(new Login(user, null, null, null)) : given.get(0);
    }

    private static RotatingSecret<Login> inFile(String user, String file, Supplier<Credentials> read) {
        return RotatingSecret.inFile("the credentials file " + file, () -> new Login(user, null, null, read.get()));
    }

    private static IllegalArgumentException conflicting() {
        return new IllegalArgumentException("the store URL gives conflicting credentials; keep the user, tokenFile or"
                + " tokenEnv, credsFile, or nkeyFile");
    }

    boolean isNobody() {
        return user.isEmpty() && token == null && credentials == null;
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
