package dev.mandate.consul;

import dev.mandate.testkit.ArrivalTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Candidates that queue on a real Consul, killed, frozen and deleted by hand. Its leases are long, so the trials run
 * side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
class ConsulArrivalsServerIT extends ArrivalTrials {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    @TempDir
    Path folder;

    @Override
    protected TrialStore store() {
        return new ConsulTrialStore(CONSUL, folder);
    }
}
