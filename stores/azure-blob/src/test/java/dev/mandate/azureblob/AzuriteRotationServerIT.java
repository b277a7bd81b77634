package dev.mandate.azureblob;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Rotation;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An account's key that is made anew while a leader leads. */
@Execution(ExecutionMode.CONCURRENT)
class AzuriteRotationServerIT {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final String ACCOUNT = "rotating";

    @TempDir
    Path folder;

    /** The emulator has other keys only after a restart. */
    private ServerProcess start(String blobPort, String key) {
        return Azurite.plain(ServerProcess.of(ServerBinary.named(Azurite.NAME)))
                .ports("blob")
                .arguments("--blobPort", blobPort, "--location", folder.toString())
                .environment("AZURITE_ACCOUNTS", ACCOUNT + ":" + key)
                .ready(server -> !Azurite.version(port(server, blobPort)).isEmpty())
                .version(server -> Azurite.version(port(server, blobPort)))
                .start();
    }

    private static int port(ServerProcess server, String blobPort) {
        return blobPort.matches("[0-9]+") ? Integer.parseInt(blobPort) : server.port("blob");
    }

    private static String key(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aTermOutlivesARotatedKey() throws Exception {
        Path file = Rotation.write(folder.resolve("key.txt"), key("the first key") + "\n");
        ServerProcess first = start("{blob}", key("the first key"));
        int port = first.port("blob");
        String url = "azblob+http://127.0.0.1:" + port + "/" + ACCOUNT + "/leases?lease=20s&accountKeyFile=" + file;
        try (ElectionClient client = ElectionClient.connect(url);
                Leadership term = client.election("rotated").campaign("x")) {
            // Kept a while after it was confirmed.
            Path kept = folder.resolve("__azurite_db_blob__.json");
            Await.until(
                    "the lease to be on disk",
                    Duration.ofSeconds(15),
                    () -> java.nio.file.Files.exists(kept)
                            && java.nio.file.Files.readString(kept).contains("\"leased\""));
            first.close();
            try (ServerProcess second = start(Integer.toString(port), key("the second key"))) {
                Rotation.write(file, key("the second key") + "\n");
                Rotation.isOutlivedBy(term, LEASE);
                term.close();
            }
        } finally {
            first.close();
        }
    }
}
