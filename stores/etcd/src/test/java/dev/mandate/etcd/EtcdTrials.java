package dev.mandate.etcd;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateTrials;
import dev.mandate.testkit.ServerExtension;
import io.etcd.jetcd.api.KeyValue;
import java.time.Duration;

/** Candidate processes on a real server, killed, frozen, cut off and deposed by hand. */
abstract class EtcdTrials extends CandidateTrials {
    static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** The server. */
    abstract ServerExtension etcd();

    @Override
    protected int port() {
        return etcd().server().port("client");
    }

    @Override
    protected String url(int port) {
        return EtcdServer.url(port) + "?lease=" + LEASE.toSeconds() + "s";
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    /** {@code etcdctl lease revoke}. */
    @Override
    protected void revoke(String election) {
        try (Operator operator = new Operator(port())) {
            long lease = Await.value(
                    "the leader's lease",
                    PATIENCE,
                    () -> operator.get("/leaders/" + election).map(KeyValue::getLease));
            operator.revoke(lease);
        }
    }
}
