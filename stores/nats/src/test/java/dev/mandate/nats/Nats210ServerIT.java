package dev.mandate.nats;

import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Before 2.11: the bucket's time to live is the lease. */
@Execution(ExecutionMode.CONCURRENT)
class Nats210ServerIT extends NatsConformance {
    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V210);

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
        return "?ttl=4s";
    }

    @Override
    protected Duration shortestLease() {
        return Duration.ofSeconds(4);
    }
}
