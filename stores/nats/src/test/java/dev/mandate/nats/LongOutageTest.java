package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Alone, because it counts the threads of stores. */
@Isolated
class LongOutageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TRIES = 6;

    /** More than pauses of two seconds leave room for in that time. */
    private static final int TRIES_OF_A_SHORT_LEASE = 50;

    /** An outage may last for days: what a try to connect took must not stay. */
    @Test
    void triesToConnectLeaveNoThreadsBehind() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread hangUp = new Thread(() -> hangUp(server, tries));
            hangUp.setDaemon(true);
            hangUp.start();
            long before = threads();
            try (ElectionStore store = NatsServer.open(NatsServer.url(server.getLocalPort(), "B", ""))) {
                assertThat(store.traits()).isNotNull();
                Await.until(TRIES + " tries", PATIENCE, () -> tries.get() >= TRIES);
                assertThat(threads() - before)
                        .as("threads of a store after %s tries", tries)
                        .isLessThanOrEqualTo(5);
            }
        }
    }

    /** However long it lasts, a short lease finds a server that is back soon. */
    @Test
    void aShortLeaseTriesOften() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread hangUp = new Thread(() -> hangUp(server, tries));
            hangUp.setDaemon(true);
            hangUp.start();
            StoreUrl url = StoreUrl.parse(NatsServer.url(server.getLocalPort(), "B", ""));
            try (ElectionStore store = new NatsStoreProvider().open(url.withLease(Duration.ofSeconds(1)))) {
                assertThat(store.traits()).isNotNull();
                Await.until(TRIES_OF_A_SHORT_LEASE + " tries", PATIENCE, () -> tries.get() >= TRIES_OF_A_SHORT_LEASE);
            }
        }
    }

    private static void hangUp(ServerSocket server, AtomicInteger tries) {
        while (!server.isClosed()) {
            try {
                server.accept().close();
                tries.incrementAndGet();
            } catch (IOException e) {
                return;
            }
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("mandate-nats-"))
                .count();
    }
}
