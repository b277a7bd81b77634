package dev.mandate.nats;

import dev.mandate.testkit.ServerExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A time to live of each key's own. */
@Execution(ExecutionMode.CONCURRENT)
class Nats215ServerIT extends NatsConformance {
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
        return "";
    }
}
