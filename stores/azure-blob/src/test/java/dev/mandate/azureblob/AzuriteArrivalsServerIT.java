package dev.mandate.azureblob;

import dev.mandate.testkit.ArrivalTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.TrialStore;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Candidates that queue on the emulator, killed, frozen and deleted by hand. The shortest lease is long, so the trials
 * run side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteArrivalsServerIT extends ArrivalTrials {
    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    @Override
    protected TrialStore store() {
        return new AzuriteTrialStore(AZURITE);
    }
}
