package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Certificates;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificate must be that of the name in the URL, neither more nor less. */
class NatsTlsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RecordKey KEY = RecordKey.election("jobs");

    @TempDir
    static Path folder;

    private static ServerBinary binary;
    private static Certificates certificates;

    @BeforeAll
    static void prepare() {
        binary = ServerBinary.named(NatsServer.V215);
        binary.require();
        certificates = new Certificates(folder);
        certificates.sign("named", "-ext", "san=dns:localhost");
        certificates.sign("numbered", "-ext", "san=ip:127.0.0.1");
    }

    private static ServerProcess serving(String certificate) {
        return NatsServer.alone(ServerProcess.of(binary))
                .arguments(
                        "--tls",
                        "--tlscert",
                        certificates.certificate(certificate).toString())
                .arguments("--tlskey", certificates.key(certificate).toString())
                .start();
    }

    private static ElectionStore open(String host, ServerProcess server) {
        return new NatsStoreProvider()
                .open(StoreUrl.parse("tls://" + host + ":" + server.port("client") + "/" + NatsServer.bucket()
                        + "?caFile=" + certificates.certificate("ca")));
    }

    private static void works(String host, ServerProcess server) {
        try (ElectionStore store = Await.value("a connection", PATIENCE, () -> opened(host, server))) {
            assertThat(StoreClient.answer(store.read(KEY, StoreClient.call()))).isInstanceOf(Observation.Vacant.class);
        }
    }

    /** Empty if the server did not answer in the time that opening takes: it may be busy. */
    private static Optional<ElectionStore> opened(String host, ServerProcess server) {
        try {
            return Optional.of(open(host, server));
        } catch (StoreUnavailableException e) {
            return Optional.empty();
        }
    }

    private static void refused(String host, ServerProcess server) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> open(host, server).close())
                .withMessageContaining("the name in the server's certificate");
    }

    @Test
    void aCertificateOfTheNameIsTaken() {
        try (ServerProcess server = serving("named")) {
            works("localhost", server);
            refused("127.0.0.1", server);
        }
    }

    @Test
    void aCertificateOfTheAddressThatTheNameHappensToHaveIsRefused() {
        try (ServerProcess server = serving("numbered")) {
            works("127.0.0.1", server);
            refused("localhost", server);
        }
    }
}
