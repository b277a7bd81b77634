package dev.mandate.spi;

import dev.mandate.StoreSetupException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whom a store trusts, and who we are, from PEM files: the parameters {@code caFile}, {@code certFile} and {@code keyFile} of its URL. The files
 * are read once. No message quotes what stands in them.
 */
public final class StoreTls {
    /** PEM file of the authorities to trust instead of the system's. */
    public static final String CA_FILE = "caFile";

    /** PEM file of the client's certificate. */
    public static final String CERT_FILE = "certFile";

    /** PEM file of the client's key, without a password. */
    public static final String KEY_FILE = "keyFile";

    /** Only in memory. */
    private static final char[] NO_PASSWORD = {};

    private final @Nullable List<TrustManager> trust;
    private final @Nullable List<KeyManager> own;

    private StoreTls(@Nullable List<TrustManager> trust, @Nullable List<KeyManager> own) {
        this.trust = trust;
        this.own = own;
    }

    /**
     * What {@code url} says. Blocks for as long as the files take to read.
     *
     * @throws IllegalArgumentException if it gives only one of certificate and key
     * @throws StoreSetupException if a file can't be read or used; names it and its parameter
     */
    public static StoreTls of(StoreUrl url) {
        return of(
                url.parameter(CA_FILE).orElse(null),
                url.parameter(CERT_FILE).orElse(null),
                url.parameter(KEY_FILE).orElse(null));
    }

    /**
     * The same for files that something else than a URL names; null for none.
     *
     * @throws IllegalArgumentException if only one of certificate and key is given
     * @throws StoreSetupException if a file can't be read or used; names it and its parameter
     */
    public static StoreTls of(@Nullable String caFile, @Nullable String certFile, @Nullable String keyFile) {
        if ((certFile == null) != (keyFile == null)) {
            throw new IllegalArgumentException("the store URL gives " + (certFile == null ? KEY_FILE : CERT_FILE)
                    + " alone; a client's certificate needs both certFile and keyFile");
        }
        try {
            return new StoreTls(
                    caFile == null ? null : trust(PemFile.certificates(CA_FILE, caFile)),
                    certFile == null || keyFile == null ? null : own(certFile, keyFile));
        } catch (GeneralSecurityException | IOException e) {
            throw new StoreSetupException("the TLS files of the store can't be used: " + e, e);
        }
    }

    /**
     * Refuses parameters for TLS in a URL without it.
     *
     * @param names the store's parameters for TLS
     * @param scheme what to write instead, with its colon
     * @throws IllegalArgumentException that names the first one found
     */
    public static void requireNone(StoreUrl url, Collection<String> names, String scheme) {
        for (String name : names) {
            if (url.parameter(name).isPresent()) {
                throw new IllegalArgumentException("the parameter '" + name + "' of the store URL is for TLS; write "
                        + scheme + " instead of " + url.scheme() + ":, or leave it out");
            }
        }
    }

    /** Whom to trust; empty for whom the JVM trusts. */
    public List<TrustManager> trustManagers() {
        return trust == null ? List.of() : trust;
    }

    /** Who we are; empty for nobody in particular. */
    public List<KeyManager> keyManagers() {
        return own == null ? List.of() : own;
    }

    /**
     * A context of both.
     *
     * @throws StoreSetupException if this JVM can't make one
     */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    own == null ? null : own.toArray(KeyManager[]::new),
                    trust == null ? null : trust.toArray(TrustManager[]::new),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new StoreSetupException("TLS can't be set up: " + e, e);
        }
    }

    private static List<TrustManager> trust(Collection<? extends Certificate> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        int count = 0;
        for (Certificate authority : authorities) {
            store.setCertificateEntry("ca" + count++, authority);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return List.of(factory.getTrustManagers());
    }

    private static List<KeyManager> own(String certFile, String keyFile) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        Certificate[] chain = PemFile.certificates(CERT_FILE, certFile).toArray(Certificate[]::new);
        store.setKeyEntry("client", PemFile.key(KEY_FILE, keyFile), NO_PASSWORD, chain);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return List.of(factory.getKeyManagers());
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }
}
