package dev.mandate.support;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Whom a store's client trusts, and how it authenticates, from PEM files: the parameters {@code caFile},
 * {@code certFile} and {@code keyFile} of the URL. The files can be replaced at any time: each TLS handshake uses their
 * current content; open connections stay open. If files can't be used, or a certificate and a key don't belong
 * together, the former ones stay in use, with a warning in the log. No message quotes their content.
 */
public final class StoreTls {
    /** PEM file of the authorities to trust instead of the JVM's. */
    public static final String CA_FILE = "caFile";

    /** PEM file of the client's certificate. */
    public static final String CERT_FILE = "certFile";

    /** PEM file of the client's key, without a password. */
    public static final String KEY_FILE = "keyFile";

    /** Only in memory. */
    private static final char[] NO_PASSWORD = {};

    /** How a key of each kind proves that it belongs to the certificate. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private static final byte[] PROBE = "mandate".getBytes(StandardCharsets.US_ASCII);

    private final @Nullable TrustManager trust;
    private final @Nullable KeyManager own;

    private StoreTls(@Nullable TrustManager trust, @Nullable KeyManager own) {
        this.trust = trust;
        this.own = own;
    }

    /**
     * Reads what {@code url} names. Blocks while it reads the files.
     *
     * @throws IllegalArgumentException if it gives only one of certificate and key
     * @throws StoreSetupException if a file can't be read or used, or certificate and key don't belong together; names
     *     files and parameters
     */
    public static StoreTls of(StoreUrl url) {
        return of(
                url.parameter(CA_FILE).orElse(null),
                url.parameter(CERT_FILE).orElse(null),
                url.parameter(KEY_FILE).orElse(null));
    }

    /**
     * The same for files that are not named by a URL; null for none.
     *
     * @throws IllegalArgumentException if only one of certificate and key is given
     * @throws StoreSetupException if a file can't be read or used; names it and its parameter
     */
    public static StoreTls of(@Nullable String caFile, @Nullable String certFile, @Nullable String keyFile) {
        if ((certFile == null) != (keyFile == null)) {
            throw new IllegalArgumentException("the store URL gives " + (certFile == null ? KEY_FILE : CERT_FILE)
                    + " alone; a client's certificate needs both certFile and keyFile");
        }
        return new StoreTls(
                caFile == null ? null : new RotatingTrust(new RotatingFiles<>(List.of(caFile), () -> trust(caFile))),
                certFile == null || keyFile == null
                        ? null
                        : new RotatingKeys(
                                new RotatingFiles<>(List.of(certFile, keyFile), () -> own(certFile, keyFile))));
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

    /** Whom to trust; empty for the JVM's defaults. */
    public List<TrustManager> trustManagers() {
        return trust == null ? List.of() : List.of(trust);
    }

    /** Our certificate and key; empty for none. */
    public List<KeyManager> keyManagers() {
        return own == null ? List.of() : List.of(own);
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
                    own == null ? null : new KeyManager[] {own},
                    trust == null ? null : new TrustManager[] {trust},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new StoreSetupException("TLS can't be set up: " + e, e);
        }
    }

    private static X509ExtendedTrustManager trust(String caFile) {
        try {
            KeyStore store = empty();
            int count = 0;
            for (Certificate authority : PemFile.certificates(CA_FILE, caFile)) {
                store.setCertificateEntry("ca" + count++, authority);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return first(X509ExtendedTrustManager.class, factory.getTrustManagers());
        } catch (GeneralSecurityException | IOException e) {
            throw new StoreSetupException("the file " + caFile + ", named by " + CA_FILE + ", can't be used: " + e, e);
        }
    }

    private static X509KeyManager own(String certFile, String keyFile) {
        Certificate[] chain = PemFile.certificates(CERT_FILE, certFile).toArray(Certificate[]::new);
        PrivateKey key = PemFile.key(KEY_FILE, keyFile);
        try {
            requirePair(chain[0].getPublicKey(), key, certFile, keyFile);
            KeyStore store = empty();
            store.setKeyEntry("client", key, NO_PASSWORD, chain);
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, NO_PASSWORD);
            return first(X509KeyManager.class, factory.getKeyManagers());
        } catch (GeneralSecurityException | IOException e) {
            throw new StoreSetupException(
                    "the files " + certFile + " and " + keyFile + ", named by " + CERT_FILE + " and " + KEY_FILE
                            + ", can't be used: " + e,
                    e);
        }
    }

    /** While only one of the two files has been replaced, they don't match. */
    private static void requirePair(PublicKey certified, PrivateKey key, String certFile, String keyFile)
            throws GeneralSecurityException {
        String algorithm = SIGNATURES.get(key.getAlgorithm());
        if (algorithm == null) {
            return;
        }
        boolean fits = certified.getAlgorithm().equals(key.getAlgorithm());
        if (fits) {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(PROBE);
            byte[] signed = signing.sign();
            Signature checking = Signature.getInstance(algorithm);
            checking.initVerify(certified);
            checking.update(PROBE);
            fits = checking.verify(signed);
        }
        if (!fits) {
            throw new StoreSetupException("the key in " + keyFile + ", named by " + KEY_FILE
                    + ", is not that of the certificate in " + certFile + ", named by " + CERT_FILE);
        }
    }

    private static <T> T first(Class<T> type, Object[] candidates) throws GeneralSecurityException {
        for (Object candidate : candidates) {
            if (type.isInstance(candidate)) {
                return type.cast(candidate);
            }
        }
        throw new GeneralSecurityException("this JVM has no " + type.getSimpleName());
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }
}
