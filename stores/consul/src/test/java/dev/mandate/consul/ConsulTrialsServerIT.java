package dev.mandate.consul;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateTrials;
import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Candidate processes on a real Consul, killed, frozen, cut off and deposed by hand. Its leases are long: they wait
 * side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
class ConsulTrialsServerIT extends CandidateTrials {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Pattern SESSION = Pattern.compile("\"Session\": *\"([^\"]+)\"");

    /** Without a lock-delay, so that it is the lease that keeps others out. */
    static String through(int port) {
        return through(port, LEASE);
    }

    static String through(int port, Duration lease) {
        return ConsulServer.url(port, "lock-delay=0s&lease=" + lease.toSeconds() + "s");
    }

    @Override
    protected int port() {
        return CONSUL.server().port("http");
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
    protected void revoke(String election) throws Exception {
        String session = Await.value("the leader's session", PATIENCE, () -> {
            Matcher found =
                    SESSION.matcher(ConsulServer.get(CONSUL.server(), "/v1/kv/service/" + election + "/leader"));
            return found.find() ? Optional.of(found.group(1)) : Optional.empty();
        });
        ConsulServer.put(CONSUL.server(), "/v1/session/destroy/" + session, "");
    }
}
