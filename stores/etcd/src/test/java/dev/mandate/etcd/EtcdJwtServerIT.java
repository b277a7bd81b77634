package dev.mandate.etcd;

import dev.mandate.testkit.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tokens that the server signs, and forgets. */
@Execution(ExecutionMode.CONCURRENT)
class EtcdJwtServerIT extends EtcdAuthScenarios {
    private static ServerProcess server;

    @BeforeAll
    static void start(@TempDir Path keys) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2_048);
        KeyPair pair = generator.generateKeyPair();
        Path open = pem(keys.resolve("jwt.pub"), "PUBLIC KEY", pair.getPublic().getEncoded());
        Path secret =
                pem(keys.resolve("jwt.key"), "PRIVATE KEY", pair.getPrivate().getEncoded());
        server = start(
                "--auth-token",
                "jwt,pub-key=" + open + ",priv-key=" + secret + ",sign-method=RS256,ttl=" + TOKEN_SECONDS + "s");
    }

    private static Path pem(Path file, String type, byte[] content) throws Exception {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    ServerProcess server() {
        return server;
    }
}
