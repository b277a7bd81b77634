package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Real candidates, while their server stands still and their bucket is operated on by hand. */
abstract class NatsFaults {
    static final Duration LEASE = Duration.ofSeconds(3);
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final String bucket = NatsServer.bucket();

    /** The server that all cases share. */
    abstract ServerExtension nats();

    /** What it is, for cases that need one of their own. */
    abstract String version();

    /** The bucket's time to live. */
    abstract Duration ttl();

    int port() {
        return nats().server().port("client");
    }

    String url(int port) {
        return NatsServer.url(port, bucket, "?lease=" + LEASE.toSeconds() + "s&ttl=" + ttl().toSeconds() + "s");
    }

    static ServerProcess own(String name) {
        return NatsServer.alone(ServerProcess.of(ServerBinary.named(name))).start();
    }

    @Test
    void aKeyDeletedOrPurgedByHandEndsTheTermAndTheNextOneIsLarger() throws Exception {
        try (Crowd crowd = new Crowd(url(port()), url(port())).allowOverlap();
                Operator operator = new Operator(port(), bucket)) {
            Leadership first = crowd.awaitLeader();
            operator.delete(crowd.election());
            Leadership second = crowd.awaitNext(first);
            crowd.awaitLoss(first, PATIENCE);
            operator.purge(crowd.election());
            crowd.awaitNext(second);
            crowd.awaitLoss(second, PATIENCE);
        }
    }

    @Test
    void aStrangersPutIsRespectedUntilItGoesAndSettledFor() throws Exception {
        try (Crowd crowd = new Crowd(url(port()), url(port()));
                Operator operator = new Operator(port(), bucket)) {
            Leadership first = crowd.awaitLeader();
            long putNanos = System.nanoTime();
            operator.put(crowd.election(), "stranger");
            crowd.awaitLoss(first, PATIENCE);
            crowd.awaitNext(first);
            // Without a time to live of its own it lives for that of the bucket, and whoever wins then settles for as
            // long.
            assertThat(Duration.ofNanos(System.nanoTime() - putNanos)).isGreaterThanOrEqualTo(ttl().multipliedBy(2));
        }
    }

    @Test
    void aBucketDeletedByHandIsMadeAgainAndTheNextTermIsLarger() throws Exception {
        try (Crowd crowd = new Crowd(url(port()), url(port()));
                Operator operator = new Operator(port(), bucket)) {
            Leadership first = crowd.awaitLeader();
            operator.deleteBucket();
            crowd.awaitLoss(first, PATIENCE);
            crowd.awaitNext(first);
        }
    }

    @Test
    void aServerThatStandsStillPastTheLeaseEndsTheTermAndSomebodyLeadsAfterwards() {
        try (ServerProcess server = own(version());
                Crowd crowd = new Crowd(url(server.port("client")), url(server.port("client")))) {
            Leadership first = crowd.awaitLeader();
            server.freeze();
            crowd.awaitLoss(first, PATIENCE);
            Await.passing(LEASE.multipliedBy(2));
            assertThat(crowd.leader()).isEmpty();
            server.thaw();
            crowd.awaitNext(first);
            server.restart();
            crowd.awaitLeader();
        }
    }
}
