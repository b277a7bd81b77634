package dev.mandate.jdbc;

import dev.mandate.testkit.FaultProxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The same suite over a connection on which everything comes in small pieces. */
class PostgresProxiedServerIT extends PostgresServerIT {
    private FaultProxy proxy;

    @Override
    @BeforeEach
    void remember(PostgresServer.Server running) throws Exception {
        super.remember(running);
        proxy = FaultProxy.to("localhost", running.port());
        proxy.slice(61, Duration.ZERO);
    }

    @AfterEach
    void closeProxy() throws Exception {
        proxy.close();
    }

    @Override
    int port() {
        return proxy.port();
    }

    @Override
    protected int rounds() {
        return 50;
    }

    @Override
    protected int terms() {
        return 100;
    }
}
