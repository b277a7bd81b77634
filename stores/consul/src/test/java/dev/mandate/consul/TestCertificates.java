package dev.mandate.consul;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An authority of the test's own, and certificates by it, as PEM files. */
final class TestCertificates {
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final Path store;

    /** Makes the authority {@code ca.pem}. */
    TestCertificates(Path folder) throws Exception {
        this.folder = folder;
        this.store = folder.resolve("all.p12");
        keytool("-genkeypair", "-alias", "ca", "-dname", "CN=Test CA", "-ext", "bc:c", "-validity", "30");
        export("ca");
    }

    Path ca() {
        return folder.resolve("ca.pem");
    }

    Path certificate(String name) {
        return folder.resolve(name + ".pem");
    }

    Path key(String name) {
        return folder.resolve(name + ".key");
    }

    /**
     * Makes {@code name.pem} and {@code name.key}.
     *
     * @param subject like {@code ip:127.0.0.1}
     * @param from when it begins to be valid, like {@code -10d}
     * @param days for how long
     */
    void issue(String name, String subject, String from, int days) throws Exception {
        keytool("-genkeypair", "-alias", name, "-dname", "CN=" + name, "-validity", "30");
        Path request = folder.resolve(name + ".csr");
        Path signed = folder.resolve(name + ".crt");
        keytool("-certreq", "-alias", name, "-file", request.toString());
        keytool(
                "-gencert",
                "-alias",
                "ca",
                "-infile",
                request.toString(),
                "-outfile",
                signed.toString(),
                "-ext",
                "san=" + subject,
                "-startdate",
                from,
                "-validity",
                Integer.toString(days));
        keytool("-importcert", "-alias", name, "-file", signed.toString(), "-noprompt");
        export(name);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        byte[] key = keys.getKey(name, PASSWORD.toCharArray()).getEncoded();
        Files.writeString(
                key(name),
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(key)
                        + "\n-----END PRIVATE KEY-----\n");
    }

    private void export(String name) throws Exception {
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                name,
                "-file",
                certificate(name).toString());
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
        if (arguments[0].equals("-genkeypair")) {
            command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        boolean isDone = process.waitFor(60, TimeUnit.SECONDS);
        if (!isDone || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError(command + ": " + Files.readString(folder.resolve("keytool.log")));
        }
    }
}
