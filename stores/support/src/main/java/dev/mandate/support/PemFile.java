package dev.mandate.support;

import dev.mandate.StoreSetupException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks PEM files with certificates and keys before use, so that errors name the file. Never quotes content. */
final class PemFile {
    private static final int BYTES_MAX = 4 << 20;
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----(.*?)-----END \\1PRIVATE KEY-----", Pattern.DOTALL);

    private PemFile() {}

    /**
     * Reads the certificates of a file, at least one.
     *
     * @throws StoreSetupException that names the parameter and the file, if it can't be read or has none
     */
    static Collection<? extends Certificate> certificates(String parameter, String file) {
        byte[] content = read(parameter, file);
        try {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(content));
            if (!found.isEmpty()) {
                return found;
            }
        } catch (CertificateException e) {
            // No certificate; reported below.
        }
        throw new StoreSetupException("the file " + file + ", named by " + parameter + ", has no certificate in PEM");
    }

    /**
     * A private key without a password: in PKCS-8, or as OpenSSL and cfssl write it, which is converted.
     *
     * @throws StoreSetupException that names the parameter and the file, and says how to convert unknown forms
     */
    static PrivateKey key(String parameter, String file) {
        Matcher block = KEY.matcher(new String(read(parameter, file), StandardCharsets.ISO_8859_1));
        String todo = "";
        while (block.find()) {
            try {
                requirePlain(block.group(2));
                byte[] der = Base64.getMimeDecoder().decode(block.group(2));
                return key(
                        switch (block.group(1)) {
                            case "" -> der;
                            case "RSA " -> KeyForm.ofPkcs1(der);
                            case "EC " -> KeyForm.ofSec1(der);
                            default -> throw new IllegalArgumentException("another form");
                        });
            } catch (IllegalArgumentException e) {
                todo = "; convert it: openssl pkcs8 -topk8 -nocrypt -in " + file;
            }
        }
        throw new StoreSetupException("the file " + file + ", named by " + parameter
                + ", has no private key in PEM without a password" + todo);
    }

    /** A block with a password has headers. */
    private static void requirePlain(String content) {
        if (content.contains(":")) {
            throw new IllegalArgumentException("it has a password");
        }
    }

    private static PrivateKey key(byte[] pkcs8) {
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                // Perhaps of another kind.
            } catch (GeneralSecurityException e) {
                throw new StoreSetupException("this JVM has no keys of kind " + algorithm, e);
            }
        }
        throw new IllegalArgumentException("neither RSA nor a curve");
    }

    private static byte[] read(String parameter, String file) {
        return StoreFile.read("the file " + file + ", named by " + parameter + ", ", Path.of(file), BYTES_MAX);
    }
}
