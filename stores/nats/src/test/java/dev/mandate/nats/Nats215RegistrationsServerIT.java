package dev.mandate.nats;

import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Registered instances on a real server, killed, frozen, cut off and deleted by hand. */
@Execution(ExecutionMode.CONCURRENT)
class Nats215RegistrationsServerIT extends RegistrationTrials {
    private static final String BUCKET = NatsServer.bucket();

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    @TempDir
    Path folder;

    @Override
    protected TrialStore store() {
        return new NatsTrialStore(NatsServer.V215, NATS, BUCKET, folder);
    }
}
