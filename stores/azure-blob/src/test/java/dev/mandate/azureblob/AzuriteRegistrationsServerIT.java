package dev.mandate.azureblob;

import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Registered instances on the emulator, killed, frozen, cut off and deleted by hand. The shortest lease is long, so the
 * trials run side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteRegistrationsServerIT extends RegistrationTrials {
    private static final String REGISTRATIONS = "=mandate/registration/";

    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    private static int port() {
        return AZURITE.server().port("blob");
    }

    private static String url(int port) {
        return AzuriteTrialsServerIT.through(port) + "&registrationLease=" + AzuriteTrialsServerIT.LEASE.toSeconds()
                + "s";
    }

    @Override
    protected String url() {
        return url(port());
    }

    @Override
    protected Duration lease() {
        return AzuriteTrialsServerIT.LEASE;
    }

    @Override
    protected Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), AzuriteRegistrationsServerIT::url));
    }

    /** Rights are given to containers, not to names in them. */
    @Override
    protected Optional<Restricted> restricted() {
        return Optional.empty();
    }

    @Override
    protected Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(
                Azurite.settings(ServerProcess.of(ServerBinary.named(Azurite.NAME)))
                        .start(),
                "blob");
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    @Override
    protected void delete(String service, String id) {
        try (Operator operator = new Operator(port())) {
            String name = REGISTRATIONS + service + "/" + id;
            operator.breakLease(name);
            operator.delete(name);
        }
    }

    @Override
    protected List<String> left(String service) {
        try (Operator operator = new Operator(port())) {
            return operator.names(REGISTRATIONS + service + "/");
        }
    }
}
