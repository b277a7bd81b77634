package dev.mandate.etcd;

import dev.mandate.testkit.ServerTrials;
import dev.mandate.testkit.TrialServer;
import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidate processes, while their server is frozen, killed and emptied. */
@EnabledIfSystemProperty(named = "mandate.trials", matches = "all", disabledReason = "-Dmandate.trials=all runs it")
@Execution(ExecutionMode.CONCURRENT)
class Etcd34DisturbedServerIT extends ServerTrials {
    @Override
    protected TrialServer start() {
        return TrialServer.of(EtcdServer.alone(EtcdServer.V34), "client");
    }

    @Override
    protected String url(int port) {
        return EtcdServer.url(port) + "?lease=" + lease().toSeconds() + "s";
    }

    @Override
    protected Duration lease() {
        return EtcdTrials.LEASE;
    }
}
