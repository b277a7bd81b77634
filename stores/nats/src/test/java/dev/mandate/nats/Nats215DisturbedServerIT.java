package dev.mandate.nats;

import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.ServerTrials;
import dev.mandate.testkit.TrialServer;
import java.time.Duration;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidate processes, while their server is frozen, killed and emptied. */
@Execution(ExecutionMode.CONCURRENT)
class Nats215DisturbedServerIT extends ServerTrials {
    private static final Duration LEASE = Duration.ofSeconds(3);

    @Override
    protected TrialServer start() {
        ServerProcess server = NatsServer.alone(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                .start();
        return TrialServer.of(server, "client");
    }

    @Override
    protected String url(int port) {
        return NatsServer.url(port, NatsUrl.BUCKET, "?lease=" + LEASE.toSeconds() + "s");
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }
}
