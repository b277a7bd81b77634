package dev.mandate.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority and the certificates it signs, made by the JDK's own tool, as PEM files. */
final class Certificates {
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final Path store;

    Certificates(Path folder) throws Exception {
        this.folder = folder;
        this.store = folder.resolve("all.p12");
        keytool("-alias", "ca", "-dname", "CN=test authority", "-ext", "bc:c");
    }

    /** Signs a certificate; {@code more} are options of the tool. */
    Certificates sign(String name, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of("-alias", name, "-dname", "CN=" + name, "-signer", "ca"));
        options.addAll(List.of(more));
        keytool(options.toArray(String[]::new));
        return this;
    }

    private void keytool(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-keystore", store.toString()));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(command + ": " + said);
        }
    }

    private KeyStore open() throws IOException, GeneralSecurityException {
        KeyStore all = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            all.load(in, PASSWORD.toCharArray());
        }
        return all;
    }

    Path certificate(String name) throws Exception {
        return pem(name + ".crt", "CERTIFICATE", open().getCertificate(name).getEncoded());
    }

    /** PKCS-8. */
    Path key(String name) throws Exception {
        return pem(
                name + ".key",
                "PRIVATE KEY",
                open().getKey(name, PASSWORD.toCharArray()).getEncoded());
    }

    private Path pem(String file, String type, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(file), "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }
}
