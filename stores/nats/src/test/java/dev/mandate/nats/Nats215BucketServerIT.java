package dev.mandate.nats;

import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The lease of the recipe, the bucket's time to live, on a server that has others. */
@Execution(ExecutionMode.CONCURRENT)
class Nats215BucketServerIT extends NatsConformance {
    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    private static final String BUCKET = NatsServer.bucket();

    @Override
    ServerExtension nats() {
        return NATS;
    }

    @Override
    String bucket() {
        return BUCKET;
    }

    @Override
    String parameters() {
        return "?expiring=bucket&ttl=4s";
    }

    @Override
    protected Duration shortestLease() {
        return Duration.ofSeconds(4);
    }
}
