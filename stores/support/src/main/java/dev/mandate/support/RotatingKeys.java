package dev.mandate.support;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Presents the client certificate that a file holds now.
 *
 * <p>A handshake first chooses an alias, and then asks for its key and its certificate. Both must be of one generation,
 * so the alias names it, and the last two generations are kept.
 */
final class RotatingKeys extends X509ExtendedKeyManager {
    private static final String SEPARATOR = "/";

    /** One content of the files. */
    private record Generation(long number, X509KeyManager keys) {}

    private final RotatingFiles<X509KeyManager> files;
    private Generation newest;
    private Generation former;

    RotatingKeys(RotatingFiles<X509KeyManager> files) {
        this.files = files;
        this.newest = new Generation(0, files.current());
        this.former = newest;
    }

    private synchronized Generation newest() {
        X509KeyManager now = files.current();
        if (now != newest.keys) {
            former = newest;
            newest = new Generation(former.number + 1, now);
        }
        return newest;
    }

    private @Nullable String choose(Function<X509KeyManager, @Nullable String> choice) {
        Generation now = newest();
        String alias = choice.apply(now.keys);
        return alias == null ? null : now.number + SEPARATOR + alias;
    }

    private synchronized @Nullable Generation generation(String alias) {
        String number = alias.substring(0, Math.max(0, alias.indexOf(SEPARATOR)));
        return number.equals(Long.toString(newest.number))
                ? newest
                : number.equals(Long.toString(former.number)) ? former : null;
    }

    private static String own(String alias) {
        return alias.substring(alias.indexOf(SEPARATOR) + 1);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return choose(keys -> keys.chooseClientAlias(types, issuers, socket));
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return choose(keys -> keys instanceof X509ExtendedKeyManager extended
                ? extended.chooseEngineClientAlias(types, issuers, engine)
                : keys.chooseClientAlias(types, issuers, null));
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        Generation generation = generation(alias);
        return generation == null ? null : generation.keys.getPrivateKey(own(alias));
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        Generation generation = generation(alias);
        return generation == null ? null : generation.keys.getCertificateChain(own(alias));
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
        Generation now = newest();
        return prefixed(now.keys.getClientAliases(type, issuers), alias -> now.number + SEPARATOR + alias);
    }

    private static String @Nullable [] prefixed(String @Nullable [] aliases, UnaryOperator<String> prefix) {
        return aliases == null ? null : Arrays.stream(aliases).map(prefix).toArray(String[]::new);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
