package dev.mandate.test;

import dev.mandate.ElectionClient;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.internal.Client;
import dev.mandate.internal.ClientSettings;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** One virtual machine with a store, and the real clients on it: all that this module takes from core's inside. */
final class TestMachine {
    private static final double MAX_CLOCK_RATIO = 1.1;

    private final LeaseTiming timing;
    private final TestHost host = new TestHost();
    private final TestServer server = new TestServer(host);
    private final AtomicLong seed = new AtomicLong();

    TestMachine(Duration lease) {
        this.timing =
                LeaseTiming.of(lease, MAX_CLOCK_RATIO).splay(Duration.ZERO).build();
    }

    /** A real client and its connection. */
    record Opened(ElectionClient client, TestStore store) {}

    Opened open(String candidate) {
        ClientSettings settings = ClientSettings.of(candidate, timing, Settle.AFTER_FOREIGN, OverrunPolicy.RELEASE);
        TestStore store = new TestStore(server);
        SplittableRandom random = new SplittableRandom(seed.incrementAndGet());
        Client client = new Client(
                        host, settings, store, "test", null, random::nextLong, System.getLogger("dev.mandate"))
                .start();
        return new Opened(client, store);
    }

    TestHost host() {
        return host;
    }

    TestServer server() {
        return server;
    }

    Duration lease() {
        return timing.lease();
    }
}
