package dev.mandate.consul;

import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Registered instances on a real Consul, killed, frozen, cut off and deleted by hand. Its leases are long, so the
 * trials run side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
class ConsulRegistrationsServerIT extends RegistrationTrials {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    @TempDir
    Path folder;

    @Override
    protected TrialStore store() {
        return new ConsulTrialStore(CONSUL, folder);
    }
}
