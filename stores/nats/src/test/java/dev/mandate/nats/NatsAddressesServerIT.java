package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One name for three servers: the file {@code hosts} of the tests has it. */
@Execution(ExecutionMode.CONCURRENT)
class NatsAddressesServerIT {
    private static final String NAME = "three.test";
    private static final Duration LEASE = Duration.ofSeconds(10);

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    private static int port() {
        return NATS.server().port("client");
    }

    /** A server that stands still: its kernel accepts connections, and it says nothing. */
    private static final class Silent implements AutoCloseable {
        private final ServerSocket socket;
        private final Queue<Socket> accepted = new ConcurrentLinkedQueue<>();

        Silent(String address) throws Exception {
            socket = new ServerSocket(port(), 50, InetAddress.getByName(address));
            Thread thread = new Thread(this::accept, "silent " + address);
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    accepted.add(socket.accept());
                }
            } catch (java.io.IOException e) {
                // Closed.
            }
        }

        @Override
        public void close() throws Exception {
            socket.close();
            for (Socket each : accepted) {
                each.close();
            }
        }
    }

    @Test
    void aServerThatSaysNothingIsLeftForTheNextAddressOfItsName() throws Exception {
        assertThat(InetAddress.getAllByName(NAME)).as("-Djdk.net.hosts.file").hasSize(3);
        StoreUrl url = StoreUrl.parse("nats://" + NAME + ":" + port() + "/" + NatsServer.bucket())
                .withLease(LEASE);
        try (Silent first = new Silent("127.0.0.2");
                Silent second = new Silent("127.0.0.3");
                StoreClient user = new StoreClient(new NatsStoreProvider().open(url), LEASE)) {
            RecordKey jobs = RecordKey.election("jobs");
            Await.until("a connection", Duration.ofSeconds(30), () -> {
                try {
                    user.read(jobs);
                    return true;
                } catch (RuntimeException e) {
                    return false;
                }
            });
            assertThat(first.accepted).as("tries with the first server").hasSize(1);
            assertThat(second.accepted).as("tries with the second server").hasSize(1);
        }
    }
}
