package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreClient;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is done where nobody answers; what follows from answers is shown on real clusters. */
class ClusterCheckTest {
    /** A member that comes up after it was asked may end live leases. */
    @Test
    void noLeaseIsOpenedBeforeAMemberSaidItsVersion() throws Exception {
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            closed.close();
            EtcdConnection connection =
                    new EtcdConnection(EtcdUrl.settings(StoreUrl.parse("etcd://127.0.0.1:" + closed.getLocalPort())));

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> StoreClient.answer(
                            new ClusterCheck(connection, false).pass(CallContext.within(Duration.ofSeconds(10)))))
                    .withMessageContaining("no member said its version");
            connection.close();
        }
    }
}
