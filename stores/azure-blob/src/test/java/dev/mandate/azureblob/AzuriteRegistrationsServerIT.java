package dev.mandate.azureblob;

import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.TrialStore;
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
    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    @Override
    protected TrialStore store() {
        return new AzuriteTrialStore(AZURITE);
    }
}
