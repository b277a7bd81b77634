package dev.mandate.azureblob;

import dev.mandate.testkit.CandidateTrials;
import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Candidate processes on the emulator, killed, frozen, cut off and deposed by hand. The shortest lease is long: they
 * wait side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteTrialsServerIT extends CandidateTrials {
    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    static final Duration LEASE = Duration.ofSeconds(15);

    static String through(int port) {
        return Azurite.url(port) + "?lease=" + LEASE.toSeconds() + "s";
    }

    @Override
    protected int port() {
        return AZURITE.server().port("blob");
    }

    @Override
    protected String url(int port) {
        return through(port);
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    @Override
    protected void revoke(String election) {
        try (Operator operator = new Operator(port())) {
            operator.breakLease(election);
        }
    }
}
