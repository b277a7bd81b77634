package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.StoreClient;
import dev.mandate.testkit.WrongServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What listens there is no NATS, or nothing does. */
@Execution(ExecutionMode.CONCURRENT)
class WrongServerTest {
    private static void fails(Class<? extends ElectionException> type, int port, String... words) {
        assertThatExceptionOfType(type)
                .isThrownBy(() -> {
                    try (ElectionStore store = NatsServer.open(NatsServer.url(port, "B", ""))) {
                        StoreClient.answer(store.read(RecordKey.PROBE, CallContext.within(Duration.ofSeconds(5))));
                    }
                })
                .withMessageContainingAll(words);
    }

    private static void isNoNats(WrongServer server) throws Exception {
        try (server) {
            fails(StoreSetupException.class, server.port(), "NATS 127.0.0.1", "not NATS", "correct host and port");
        }
    }

    @Test
    void aPageOfTheWeb() throws Exception {
        isNoNats(WrongServer.greeting("HTTP/1.1 400 Bad Request\r\n\r\n<html>no</html>"));
    }

    @Test
    void garbage() throws Exception {
        isNoNats(WrongServer.greeting("\u0000\u0001\u0002\u001b[31m\r\nxyz\r\n"));
    }

    @Test
    void anInfoThatIsNone() throws Exception {
        isNoNats(WrongServer.greeting("INFO {broken\r\n"));
    }

    @Test
    void oneLineWithoutEnd() throws Exception {
        isNoNats(WrongServer.greetingForEver("INFO " + "x".repeat(4096)));
    }

    @Test
    void silence() throws Exception {
        try (WrongServer server = WrongServer.greeting("")) {
            fails(StoreUnavailableException.class, server.port(), "NATS 127.0.0.1");
        }
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void nobody() throws Exception {
        fails(StoreUnavailableException.class, closedPort(), "connection refused");
    }

    /** Opening leaves time for the question that finds out why. */
    @Test
    void nobodyInAShortStartupTime() throws Exception {
        String url = NatsServer.url(closedPort(), "B", "?connectTimeout=2s");

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> ElectionClient.connect(url))
                .withMessageContainingAll("within 2000 ms", "connection refused");
    }
}
