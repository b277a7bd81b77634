package dev.mandate.consul;

import dev.mandate.testkit.FaultProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The same suite over connections on which everything comes in small pieces. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulProxiedServerIT extends ConsulServerIT {
    private FaultProxy proxy;

    @BeforeEach
    void slice() {
        try {
            proxy = FaultProxy.to("127.0.0.1", CONSUL.server().port("http"));
            proxy.slice(61, Duration.ZERO);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void closeProxy() throws IOException {
        proxy.close();
    }

    @Override
    int port() {
        return proxy.port();
    }

    @Override
    protected int rounds() {
        return 25;
    }

    @Override
    protected int terms() {
        return 100;
    }
}
