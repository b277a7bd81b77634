package dev.mandate.azureblob;

import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import dev.mandate.testkit.TrialStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The emulator with clients. Rights are given to containers, not to names in them, so there is none that restricts. */
record AzuriteTrialStore(ServerExtension azurite) implements TrialStore {
    private int port() {
        return azurite.server().port("blob");
    }

    private static String url(int port, Duration lease) {
        return Azurite.url(port) + "?lease=" + lease.toSeconds() + "s&registrationLease=" + lease.toSeconds() + "s";
    }

    private String url(int port) {
        return url(port, lease());
    }

    @Override
    public String url(Duration lease) {
        return url(port(), lease);
    }

    @Override
    public Duration lease() {
        return AzuriteTrialsServerIT.LEASE;
    }

    @Override
    public boolean tellsAtOnce() {
        return false;
    }

    @Override
    public Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), this::url));
    }

    @Override
    public Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(
                Azurite.settings(ServerProcess.of(ServerBinary.named(Azurite.NAME)))
                        .start(),
                "blob");
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    @Override
    public void delete(RecordKey key) {
        try (Operator operator = new Operator(port())) {
            String name = "=mandate/" + key.path();
            operator.breakLease(name);
            operator.delete(name);
        }
    }

    @Override
    public List<String> left(RecordKey prefix) {
        try (Operator operator = new Operator(port())) {
            return operator.names("=mandate/" + prefix.path() + "/");
        }
    }
}
