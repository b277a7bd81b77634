package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.support.StoreTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates, keys and authorities are replaced while a store is open: the next handshake uses the new ones. */
@Tag("long")
@Order(1)
class RotatedTlsFilesTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private Path made;
    private Certificates certificates;
    private Path ca;
    private Path certificate;
    private Path key;
    private SSLServerSocket server;
    private final BlockingQueue<String> clients = new LinkedBlockingQueue<>();

    @BeforeEach
    void makeFiles() throws Exception {
        made = Files.createDirectory(folder.resolve("made"));
        certificates = new Certificates(made);
        certificates.sign("server", "-ext", "san=ip:127.0.0.1").sign("one").sign("two");
        ca = folder.resolve("ca.pem");
        certificate = folder.resolve("client.pem");
        key = folder.resolve("client-key.pem");
        Rotation.copy(certificates.certificate("ca"), ca);
        Rotation.copy(certificates.certificate("one"), certificate);
        Rotation.copy(certificates.key("one"), key);
        listen("server");
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** A server that says who its clients are. */
    private void listen(String name) throws Exception {
        KeyStore all = KeyStore.getInstance(made.resolve("all.p12").toFile(), "changeit".toCharArray());
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        own.setCertificateEntry("ca", all.getCertificate("ca"));
        own.setKeyEntry(name, all.getKey(name, "changeit".toCharArray()), new char[0], all.getCertificateChain(name));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, new char[0]);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(own);
        SSLContext serving = SSLContext.getInstance("TLS");
        serving.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        server = (SSLServerSocket) serving.getServerSocketFactory().createServerSocket(0);
        server.setNeedClientAuth(true);
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try (SSLSocket accepted = (SSLSocket) server.accept()) {
                    accepted.startHandshake();
                    X509Certificate client =
                            (X509Certificate) accepted.getSession().getPeerCertificates()[0];
                    clients.add(client.getSubjectX500Principal().getName());
                    accepted.getOutputStream().write(1);
                } catch (IOException e) {
                    clients.add("refused");
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private StoreTls tls() {
        return StoreTls.of(ca.toString(), certificate.toString(), key.toString());
    }

    /** Whom the server meets; each time with a new session, which nothing of a former one is resumed in. */
    private String meet(SSLContext context) throws Exception {
        clients.clear();
        context.getClientSessionContext().setSessionTimeout(1);
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", server.getLocalPort())) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.getSession().invalidate();
            socket.startHandshake();
            socket.getInputStream().read();
            socket.getSession().invalidate();
        } catch (IOException e) {
            return "failed: " + e.getMessage();
        }
        return clients.take();
    }

    @Test
    void theNextHandshakePresentsTheNewCertificate() throws Exception {
        SSLContext context = tls().context();
        assertThat(meet(context)).isEqualTo("CN=one");

        Rotation.copy(certificates.certificate("two"), certificate);
        Rotation.copy(certificates.key("two"), key);

        Await.until(
                "the new certificate is presented", SOON, () -> meet(context).equals("CN=two"));
    }

    @Test
    void aCertificateWithoutItsKeyLeavesTheFormerPairInUse() throws Exception {
        SSLContext context = tls().context();
        Rotation.copy(certificates.certificate("two"), certificate);

        for (long until = System.nanoTime() + Duration.ofSeconds(3).toNanos(); System.nanoTime() < until; ) {
            assertThat(meet(context)).isEqualTo("CN=one");
        }

        Rotation.copy(certificates.key("two"), key);
        Await.until("the new pair is presented", SOON, () -> meet(context).equals("CN=two"));
    }

    @Test
    void theNextHandshakeTrustsTheNewAuthorities() throws Exception {
        Certificates others = new Certificates(Files.createDirectory(folder.resolve("others")));
        Rotation.copy(others.certificate("ca"), ca);
        SSLContext context = tls().context();
        assertThat(meet(context)).startsWith("failed");

        Rotation.copy(certificates.certificate("ca"), ca);

        Await.until("the authority is trusted", SOON, () -> meet(context).equals("CN=one"));
    }

    @Test
    void aKeyOfAnotherCertificateIsRefusedAtOnce() throws Exception {
        Rotation.copy(certificates.key("two"), key);

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(this::tls)
                .withMessageContaining(key.toString())
                .withMessageContaining(certificate.toString())
                .withMessageContaining("is not that of the certificate");
    }
}
