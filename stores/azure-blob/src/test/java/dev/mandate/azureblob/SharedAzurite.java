package dev.mandate.azureblob;

import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The emulator that all tests share, and clients of it. */
abstract class SharedAzurite {
    static final Duration LEASE = Duration.ofSeconds(15);
    static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    static int port() {
        return AZURITE.server().port("blob");
    }

    static Client client() {
        return new Client(Azurite.url(port()));
    }
}
