package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Certificates;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.Rotation;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A Consul that speaks TLS, and asks for a certificate. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulTlsServerIT {
    private static final RecordKey KEY = RecordKey.election("jobs");

    @TempDir
    static Path folder;

    private static Certificates certificates;
    private static ServerProcess consul;

    @BeforeAll
    static void start() throws Exception {
        ServerBinary binary = ServerBinary.named(ConsulServer.NAME);
        binary.require();
        certificates = new Certificates(folder);
        certificates.sign("server", "-ext", "san=ip:127.0.0.1", "-startdate", "-1d", "-validity", "30");
        certificates.sign("client", "-ext", "san=dns:client", "-startdate", "-1d", "-validity", "30");
        consul = serving(binary, "server", true);
    }

    /** With a port of its own for plain requests, which is how it is found ready. */
    private static ServerProcess serving(ServerBinary binary, String certificate, boolean asksBack) {
        return ConsulServer.dev(ServerProcess.of(binary))
                .ports("https")
                .arguments("-hcl=ports { https = {https} }")
                .arguments("-hcl=ca_file = \"" + certificates.certificate("ca") + "\" cert_file = \""
                        + certificates.certificate(certificate) + "\" key_file = \"" + certificates.key(certificate)
                        + "\" verify_incoming_https = " + asksBack)
                .start();
    }

    @AfterAll
    static void stop() {
        if (consul != null) {
            consul.close();
        }
    }

    private static ElectionStore open(String scheme, int port, String parameters) {
        return new ConsulStoreProvider().open(StoreUrl.parse(scheme + "://127.0.0.1:" + port + "?" + parameters));
    }

    private static String ca() {
        return "caFile=" + certificates.certificate("ca");
    }

    private static String mutual() {
        return ca() + "&certFile=" + certificates.certificate("client") + "&keyFile=" + certificates.key("client");
    }

    private static void refused(ElectionStore opened, String... words) {
        try (ElectionStore store = opened) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> StoreClient.answer(store.read(KEY, StoreClient.call())))
                    .withMessageContainingAll(words);
        }
    }

    @Test
    void anElectionWorksOverMutualTls() {
        try (StoreClient client = new StoreClient(open("consuls", consul.port("https"), mutual()))) {
            Observation.Held held = client.lead(KEY);
            assertThat(client.readHeld(KEY).basis()).isEqualTo(held.basis());
        }
    }

    /** The first certificate ends, and with it whatever connection is made again. */
    @Test
    void aTermOutlivesItsClientsCertificate() throws Exception {
        Duration lease = Duration.ofSeconds(12);
        Path certificate = folder.resolve("rotated.pem");
        Path key = folder.resolve("rotated-key.pem");
        certificates.sign("second", "-ext", "san=dns:client");
        certificates.signFor(Duration.ofSeconds(40), "first", "-ext", "san=dns:client");
        Rotation.copy(certificates.certificate("first"), certificate);
        Rotation.copy(certificates.key("first"), key);
        try (FaultProxy network = FaultProxy.to("127.0.0.1", consul.port("https"));
                ElectionClient client = ElectionClient.connect("consuls://127.0.0.1:" + network.port() + "?lease=12s&"
                        + ca() + "&certFile=" + certificate + "&keyFile=" + key);
                Leadership term = client.election("rotated-certificate").campaign("x")) {
            Rotation.copy(certificates.certificate("second"), certificate);
            Rotation.copy(certificates.key("second"), key);
            Await.until(
                    "the end of the first",
                    Duration.ofMinutes(1),
                    () -> Instant.now().isAfter(certificates.end("first").plusSeconds(1)));
            network.reset();
            Rotation.isOutlivedBy(term, lease);
        }
    }

    @Test
    void anUnknownAuthorityIsRefused() {
        refused(open("consuls", consul.port("https"), ""), "certificate is not accepted", "caFile");
    }

    @Test
    void aMissingClientCertificateIsTold() {
        refused(open("consuls", consul.port("https"), ca()), "certFile");
    }

    @Test
    void tlsOnAPlainPortIsTold() {
        refused(open("consuls", consul.port("http"), ca()), "does not speak TLS", "write consul://");
    }

    @Test
    void plainOnATlsPortIsTold() {
        refused(open("consul", consul.port("https"), ""), "HTTPS");
    }

    @Test
    void aCertificateOfAnotherNameOrTimeIsRefused() throws Exception {
        certificates.sign("elsewhere", "-ext", "san=dns:elsewhere.example", "-startdate", "-1d", "-validity", "30");
        certificates.sign("expired", "-ext", "san=ip:127.0.0.1", "-startdate", "-20d", "-validity", "10");
        for (String certificate : new String[] {"elsewhere", "expired"}) {
            try (ServerProcess server = serving(ServerBinary.named(ConsulServer.NAME), certificate, false)) {
                refused(open("consuls", server.port("https"), ca()), "certificate is not accepted");
            }
        }
    }

    @Test
    void aFileThatIsNoKeyIsNamedAndNotQuoted() throws Exception {
        Path file = Files.writeString(folder.resolve("no.key"), "canary-7f3a");
        String parameters = "certFile=" + certificates.certificate("client") + "&keyFile=" + file;
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> open("consuls", 1, parameters))
                .withMessageContaining("no.key")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("canary"));
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> open("consuls", 1, "caFile=" + folder.resolve("nosuch.pem")))
                .withMessageContaining("nosuch.pem");
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> open("consuls", 1, "caFile=" + file))
                .withMessageContaining("no.key");
    }
}
