package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
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

/** An account's key that is made anew while a store is open. */
@Execution(ExecutionMode.CONCURRENT)
class AzuriteRotationServerIT {
    private static final String ACCOUNT = "rotating";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    /** The emulator has other keys only after a restart, which may take a while. */
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
    void aRotatedKeyIsUsedOnceTheFormerIsRejected() throws Exception {
        Path file = Rotation.write(folder.resolve("key.txt"), key("the first key") + "\n");
        ServerProcess first = start("{blob}", key("the first key"));
        int port = first.port("blob");
        String url = "azblob+http://127.0.0.1:" + port + "/" + ACCOUNT + "/leases?accountKeyFile=" + file;
        try (Client client = new Client(url)) {
            assertThat(isTaken(client)).isTrue();
            first.close();
            try (ServerProcess second = start(Integer.toString(port), key("the second key"))) {
                Await.until("a rejection", PATIENCE, () -> isDenied(client));

                Rotation.write(file, key("the second key") + "\n");

                Await.until("the second key to be taken", PATIENCE, () -> isTaken(client));
                assertThat(second.isAlive()).isTrue();
            }
        } finally {
            first.close();
        }
    }

    private static boolean isTaken(Client client) {
        try {
            Client.answer(client.store.read(Client.key("rotated"), Client.call()));
            return true;
        } catch (StoreSetupException e) {
            return !e.isDenied();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static boolean isDenied(Client client) {
        try {
            Client.answer(client.store.read(Client.key("rotated"), Client.call()));
            return false;
        } catch (StoreSetupException e) {
            return e.isDenied();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }
}
