package dev.mandate.etcd;

import dev.mandate.StoreSetupException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/** Files with certificates and keys, looked at before they are used, so that a wrong one is named. Their content is never quoted. */
final class PemFile {
    private static final int BYTES_MAX = 4 << 20;

    private PemFile() {}

    /**
     * One certificate or more.
     *
     * @throws StoreSetupException that names the parameter and the file, if it can't be read or has none
     */
    static InputStream certificates(String parameter, String file) {
        byte[] content = read(parameter, file);
        try {
            var found = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(content));
            if (!found.isEmpty()) {
                return new ByteArrayInputStream(content);
            }
        } catch (CertificateException e) {
            // No certificate, as below.
        }
        throw new StoreSetupException("the file " + file + ", named by " + parameter + ", has no certificate in PEM");
    }

    /**
     * A private key in PKCS-8.
     *
     * @throws StoreSetupException that names the parameter and the file, and says how to convert other forms
     */
    static InputStream key(String parameter, String file) {
        byte[] content = read(parameter, file);
        String text = new String(content, StandardCharsets.ISO_8859_1);
        if (text.contains("-----BEGIN PRIVATE KEY-----")) {
            return new ByteArrayInputStream(content);
        }
        throw new StoreSetupException("the file " + file + ", named by " + parameter
                + ", has no key in PKCS-8 without a"
                + " password (BEGIN PRIVATE KEY)"
                + (text.contains("PRIVATE KEY-----") ? "; convert it: openssl pkcs8 -topk8 -nocrypt -in " + file : ""));
    }

    private static byte[] read(String parameter, String file) {
        Path path = Path.of(file);
        try {
            if (Files.size(path) > BYTES_MAX) {
                throw new StoreSetupException(
                        "the file " + file + ", named by " + parameter + ", has more than " + BYTES_MAX + " bytes");
            }
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new StoreSetupException("the file " + file + ", named by " + parameter + ", can't be read: " + e, e);
        }
    }
}
