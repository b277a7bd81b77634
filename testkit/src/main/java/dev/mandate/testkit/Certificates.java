package dev.mandate.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority and the certificates it signs, for tests of TLS: made by the JDK's {@code keytool}, as PEM files. All
 * keys are on elliptic curves; certificates are valid for 90 days by default. A failure is an {@link AssertionError}.
 * Safe for use from many threads.
 */
public final class Certificates {
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final Path store;

    /** Makes the authority, called {@code ca}. All files are written to {@code folder}. */
    public Certificates(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("all.p12");
        keytool("-alias", "ca", "-dname", "CN=test authority", "-ext", "bc:c");
    }

    /**
     * Signs a certificate.
     *
     * @param name its name, here and in its subject
     * @param more options of {@code keytool -genkeypair}: {@code "-ext", "san=ip:127.0.0.1"}
     */
    public Certificates sign(String name, String... more) {
        List<String> options = new ArrayList<>(List.of("-alias", name, "-dname", "CN=" + name, "-signer", "ca"));
        options.addAll(List.of(more));
        keytool(options.toArray(String[]::new));
        return this;
    }

    /** Signs a certificate that expires {@code validity} from now, less than a day. */
    public Certificates signFor(Duration validity, String name, String... more) {
        List<String> options = new ArrayList<>(List.of(more));
        options.addAll(List.of("-startdate", "-1d+" + validity.toSeconds() + "S", "-validity", "1"));
        return sign(name, options.toArray(String[]::new));
    }

    /** When a certificate expires. */
    public Instant end(String name) {
        try {
            return ((X509Certificate) open().getCertificate(name)).getNotAfter().toInstant();
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError("no certificate " + name + ": " + e, e);
        }
    }

    private synchronized void keytool(String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        // Starts faster: it runs only for a moment.
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-keystore", store.toString()));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of(options));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(command + ": " + said);
            }
        } catch (IOException e) {
            throw new AssertionError(command + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(command + " was interrupted", e);
        }
    }

    /** The file of a certificate; {@code ca} is the authority's. */
    public Path certificate(String name) {
        try {
            return pem(name + ".crt", "CERTIFICATE", open().getCertificate(name).getEncoded());
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError("no certificate " + name + ": " + e, e);
        }
    }

    /** The file of its key, in PKCS #8. */
    public Path key(String name) {
        try {
            return pem(
                    name + ".key",
                    "PRIVATE KEY",
                    open().getKey(name, PASSWORD.toCharArray()).getEncoded());
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError("no key " + name + ": " + e, e);
        }
    }

    private synchronized KeyStore open() throws IOException, GeneralSecurityException {
        KeyStore all = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            all.load(in, PASSWORD.toCharArray());
        }
        return all;
    }

    /** Writes a file only once: another thread may be reading it. */
    private synchronized Path pem(String file, String type, byte[] content) throws IOException {
        Path path = folder.resolve(file);
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        String text = "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
        if (!Files.exists(path)) {
            Files.writeString(path, text);
        }
        return path;
    }
}
