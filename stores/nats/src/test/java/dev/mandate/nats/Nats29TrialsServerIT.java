package dev.mandate.nats;

import dev.mandate.testkit.CandidateTrials;
import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidate processes on a real server, killed, frozen, cut off and deposed by hand. */
@EnabledIfSystemProperty(named = "mandate.trials", matches = "all", disabledReason = "-Dmandate.trials=all runs it")
@Execution(ExecutionMode.CONCURRENT)
class Nats29TrialsServerIT extends CandidateTrials {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final String BUCKET = NatsServer.bucket();

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V29);

    @Override
    protected int port() {
        return NATS.server().port("client");
    }

    @Override
    protected String url(int port) {
        return NatsServer.url(port, BUCKET, "?lease=" + LEASE.toSeconds() + "s");
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    /** {@code nats kv del}: there is nothing else that keeps a leader. */
    @Override
    protected void revoke(String election) throws Exception {
        try (Operator operator = new Operator(port(), BUCKET)) {
            operator.delete(election);
        }
    }
}
