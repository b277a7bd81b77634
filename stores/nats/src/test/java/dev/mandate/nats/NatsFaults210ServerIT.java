package dev.mandate.nats;

import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Where the bucket's time to live is the lease. */
@Execution(ExecutionMode.CONCURRENT)
class NatsFaults210ServerIT extends NatsFaults {
    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V210);

    @Override
    ServerExtension nats() {
        return NATS;
    }

    @Override
    String version() {
        return NatsServer.V210;
    }

    @Override
    Duration ttl() {
        return LEASE;
    }
}
