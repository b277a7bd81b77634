package dev.mandate.consul;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The same suite on an agent that refuses every key that any version refuses; the raw format has all kinds of keys. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulStrictServerIT extends ConsulServerIT {
    private StrictFront front;

    @BeforeEach
    void putInFront() {
        try {
            front = new StrictFront(
                    CONSUL.server().port("http"), StrictFront.Version.V1_21_5, StrictFront.Version.V1_22);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void closeFront() {
        front.close();
    }

    @Override
    int port() {
        return front.port();
    }

    @Override
    String parameters() {
        return "lock-delay=1s&format=raw";
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
