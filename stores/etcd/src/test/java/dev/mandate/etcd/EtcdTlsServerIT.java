package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
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

/** A server that speaks TLS and asks for certificates. */
@Execution(ExecutionMode.CONCURRENT)
class EtcdTlsServerIT {
    @TempDir
    static Path folder;

    private static Certificates certificates;
    private static ServerProcess server;

    @BeforeAll
    static void start() throws Exception {
        ServerBinary binary = ServerBinary.named(EtcdServer.V35);
        binary.require();
        certificates = new Certificates(folder)
                .sign("server", "-ext", "san=ip:127.0.0.1")
                .sign("elsewhere", "-ext", "san=dns:elsewhere.example")
                .sign("expired", "-ext", "san=ip:127.0.0.1", "-startdate", "-10d", "-validity", "5")
                .sign("client");
        server = start("server", "--client-cert-auth", "--trusted-ca-file", ca());
    }

    private static String ca() throws Exception {
        return certificates.certificate("ca").toString();
    }

    private static ServerProcess start(String name, String... more) throws Exception {
        return EtcdServer.settings(ServerProcess.of(ServerBinary.named(EtcdServer.V35))
                        .ports("client")
                        .arguments("--listen-client-urls", "https://127.0.0.1:{client}")
                        .arguments("--advertise-client-urls", "https://127.0.0.1:{client}")
                        .arguments("--cert-file", certificates.certificate(name).toString())
                        .arguments("--key-file", certificates.key(name).toString())
                        .arguments(more))
                .start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static String url(ServerProcess to, String parameters) {
        return "etcds://127.0.0.1:" + to.port("client") + parameters;
    }

    private static String withCertificate() throws Exception {
        return "?caFile=" + ca() + "&certFile=" + certificates.certificate("client") + "&keyFile="
                + certificates.key("client");
    }

    private static void fails(Class<? extends ElectionException> type, String url, String... words) {
        assertThatExceptionOfType(type)
                .isThrownBy(() -> {
                    try (ElectionStore store = EtcdServer.open(url)) {
                        StoreClient.answer(store.read(RecordKey.PROBE, CallContext.within(Duration.ofSeconds(5))));
                    }
                })
                .withMessageContainingAll(words);
    }

    /** The first certificate ends, and with it whatever connection is made again. */
    @Test
    void aTermOutlivesItsClientsCertificate() throws Exception {
        Duration lease = Duration.ofSeconds(12);
        Path certificate = folder.resolve("rotated.pem");
        Path key = folder.resolve("rotated-key.pem");
        certificates.sign("second").signFor(Duration.ofSeconds(40), "first");
        Rotation.copy(certificates.certificate("first"), certificate);
        Rotation.copy(certificates.key("first"), key);
        try (FaultProxy network = FaultProxy.to("127.0.0.1", server.port("client"));
                ElectionClient client = ElectionClient.connect("etcds://127.0.0.1:" + network.port()
                        + "?lease=12s&caFile=" + ca() + "&certFile=" + certificate + "&keyFile=" + key);
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
    void bothSidesShowTheirCertificates() throws Exception {
        try (StoreClient client = EtcdServer.client(url(server, withCertificate()))) {
            RecordKey key = StoreClient.key("tls");
            Observation.Held held = client.lead(key);
            assertThat(client.readHeld(key).basis()).isEqualTo(held.basis());
        }
    }

    @Test
    void withoutACertificateOfOursTheServerRefuses() throws Exception {
        fails(ElectionException.class, url(server, "?caFile=" + ca()), "etcd 127.0.0.1", "TLS");
    }

    @Test
    void anUnknownAuthorityIsRefused() {
        fails(StoreSetupException.class, url(server, ""), "the TLS handshake failed", "caFile");
    }

    @Test
    void aCertificateOfAnotherHostIsRefused() throws Exception {
        try (ServerProcess other = start("elsewhere")) {
            fails(StoreSetupException.class, url(other, "?caFile=" + ca()), "the TLS handshake failed", "127.0.0.1");
            // Unless that is the name that is asked for.
            try (StoreClient client =
                    EtcdServer.client(url(other, "?caFile=" + ca() + "&serverName=elsewhere.example"))) {
                client.release(client.lead(StoreClient.key("named")));
            }
        }
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        try (ServerProcess other = start("expired")) {
            fails(StoreSetupException.class, url(other, "?caFile=" + ca()), "the TLS handshake failed");
        }
    }

    @Test
    void plainTextToATlsServerIsSaid() {
        fails(ElectionException.class, "etcd://127.0.0.1:" + server.port("client"), "etcd 127.0.0.1");
    }

    @Test
    void filesThatAreNoneAreNamed() throws Exception {
        Path text = Files.writeString(folder.resolve("text.pem"), "This is a shopping list.");
        fails(StoreSetupException.class, url(server, "?caFile=" + folder + "/none.pem"), "none.pem", "caFile");
        fails(StoreSetupException.class, url(server, "?caFile=" + text), "text.pem");
        fails(
                StoreSetupException.class,
                url(server, "?certFile=" + certificates.certificate("client") + "&keyFile=" + text),
                "text.pem");
    }
}
