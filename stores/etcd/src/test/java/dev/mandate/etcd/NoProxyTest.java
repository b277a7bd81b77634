package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

class NoProxyTest {
    /** It is for the web; what listens there would refuse to carry gRPC, or carry it past the company's network. */
    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void aProxyOfTheJvmIsNotUsed() throws Exception {
        Properties before = (Properties) System.getProperties().clone();
        try (ServerSocket proxy = listening();
                ServerSocket member = listening()) {
            Map.of(
                            "https.proxyHost", "127.0.0.1",
                            "https.proxyPort", Integer.toString(proxy.getLocalPort()),
                            "http.nonProxyHosts", "")
                    .forEach(System::setProperty);
            CompletableFuture<ServerSocket> connected = new CompletableFuture<>();
            for (ServerSocket each : new ServerSocket[] {proxy, member}) {
                Thread accepting = new Thread(() -> accept(each, connected));
                accepting.setDaemon(true);
                accepting.start();
            }

            try (ElectionStore store = EtcdServer.open("etcd://127.0.0.1:" + member.getLocalPort())) {
                var unused = store.read(RecordKey.PROBE, CallContext.within(Duration.ofSeconds(20)));
                assertThat(connected.get(20, TimeUnit.SECONDS)).isSameAs(member);
            }
        } catch (TimeoutException e) {
            throw new AssertionError("nothing was connected to", e);
        } finally {
            System.setProperties(before);
        }
    }

    private static ServerSocket listening() throws Exception {
        return new ServerSocket(0, 10, Objects.requireNonNull(InetAddress.getByName("127.0.0.1")));
    }

    private static void accept(ServerSocket at, CompletableFuture<ServerSocket> connected) {
        try (Socket accepted = at.accept()) {
            connected.complete(at);
            // Says nothing, as long as somebody may still ask.
            while (accepted.getInputStream().read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (java.io.IOException e) {
            // The test is over.
        }
    }
}
