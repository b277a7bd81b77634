package dev.mandate.consul;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The same suite where the key holds the leader's value alone. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulRawServerIT extends ConsulServerIT {
    @Override
    String parameters() {
        return "lock-delay=1s&format=raw";
    }

    @Override
    protected int rounds() {
        return 50;
    }

    @Override
    protected int terms() {
        return 200;
    }
}
