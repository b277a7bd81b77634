package dev.mandate.consul;

import dev.mandate.testkit.ServerTrials;
import dev.mandate.testkit.TrialServer;
import java.time.Duration;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidate processes, while their Consul is frozen, killed and emptied. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulDisturbedServerIT extends ServerTrials {
    @Override
    protected TrialServer start() {
        return TrialServer.of(ConsulServer.durable().start(), "http");
    }

    @Override
    protected String url(int port) {
        return ConsulTrialsServerIT.through(port);
    }

    @Override
    protected Duration lease() {
        return ConsulTrialsServerIT.LEASE;
    }
}
