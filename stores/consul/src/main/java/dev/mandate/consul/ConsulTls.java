package dev.mandate.consul;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Whom to trust, and who we are, from PEM files. No message quotes what stands in a key. */
final class ConsulTls {
    private static final int FILE_BYTES_MAX = 1 << 20;
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    /** Only in memory. */
    private static final char[] NO_PASSWORD = {};

    private ConsulTls() {}

    /**
     * The context that {@code url} asks for: its authorities, or else those of the JVM, and its certificate, if it names one.
     *
     * @throws StoreSetupException if a file can't be read or used; names it
     */
    static SSLContext context(StoreUrl url) {
        Optional<String> certificate = url.parameter("certFile");
        Optional<String> key = url.parameter("keyFile");
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException("the store URL gives " + (key.isPresent() ? "keyFile" : "certFile")
                    + " alone; a client's certificate needs both certFile and keyFile");
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    certificate.isPresent() ? own(Path.of(certificate.get()), Path.of(key.orElseThrow())) : null,
                    trust(url.parameter("caFile").map(Path::of).orElse(null)),
                    null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new StoreSetupException("TLS can't be set up: " + e, e);
        }
    }

    private static TrustManager @Nullable [] trust(@Nullable Path file) throws GeneralSecurityException, IOException {
        if (file == null) {
            return null;
        }
        KeyStore store = empty();
        int count = 0;
        for (Certificate authority : certificates(file)) {
            store.setCertificateEntry("ca" + count++, authority);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] own(Path certificate, Path key) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        store.setKeyEntry(
                "client",
                privateKey(key),
                NO_PASSWORD,
                certificates(certificate).toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) {
        requireFile(file);
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new StoreSetupException("the file " + file + " has no certificate in PEM form");
            }
            return found;
        } catch (CertificateException e) {
            throw new StoreSetupException("the file " + file + " is no PEM file of certificates", e);
        } catch (IOException e) {
            throw new StoreSetupException("the file " + file + " can't be read: " + e, e);
        }
    }

    private static PrivateKey privateKey(Path file) {
        requireFile(file);
        try {
            Matcher key = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
            if (!key.find()) {
                throw new StoreSetupException("the file " + file + " has no key in PKCS-8 form (BEGIN PRIVATE KEY);"
                        + " convert it with: openssl pkcs8 -topk8 -nocrypt");
            }
            return privateKey(Base64.getMimeDecoder().decode(key.group(1)), file);
        } catch (IOException e) {
            throw new StoreSetupException("the file " + file + " can't be read: " + e, e);
        }
    }

    private static PrivateKey privateKey(byte[] encoded, Path file) {
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                // Of another kind, perhaps.
            } catch (GeneralSecurityException e) {
                throw new StoreSetupException("this JVM has no keys of kind " + algorithm, e);
            }
        }
        throw new StoreSetupException("the key in the file " + file + " is neither RSA, EC nor Ed25519");
    }

    private static void requireFile(Path file) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw new StoreSetupException("the file " + file + " has more than " + FILE_BYTES_MAX + " bytes");
            }
        } catch (IOException e) {
            throw new StoreSetupException("the file " + file + " can't be read: " + e, e);
        }
    }
}
