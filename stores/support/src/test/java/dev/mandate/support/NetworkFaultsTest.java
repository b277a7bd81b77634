package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkFaultsTest {
    private static final NetworkFaults FILES = new NetworkFaults("plain:", true);
    private static final NetworkFaults NO_FILES = new NetworkFaults("plain:", false);

    private static void passes(NetworkFaults faults, Throwable thrown, String expected) {
        ElectionException fault = faults.find("store: reading: ", thrown).orElseThrow();
        assertThat(fault).isInstanceOf(StoreUnavailableException.class).hasMessage("store: reading: " + expected);
    }

    private static void isSetup(NetworkFaults faults, Throwable thrown, String... words) {
        ElectionException fault = faults.find("store: reading: ", thrown).orElseThrow();
        assertThat(fault).isInstanceOf(StoreSetupException.class).hasMessageStartingWith("store: reading: ");
        assertThat(fault.getMessage()).contains(words);
    }

    @Test
    void whatMayBeThereLaterPasses() {
        passes(FILES, new UnknownHostException("h.invalid"), "unknown host: h.invalid");
        passes(FILES, new UnresolvedAddressException(), "unknown host");
        passes(FILES, new TimeoutException("ours"), "no answer in time");
        passes(FILES, new HttpTimeoutException("request timed out"), "no answer in time");
        passes(FILES, new SocketTimeoutException("Read timed out"), "no answer in time");
        passes(FILES, new IOException("Connection reset"), "the connection broke: Connection reset");
        passes(FILES, new RuntimeException(new IOException("reset")), "the connection broke: reset");
    }

    /** As the JDK, its HTTP client, and both transports of Netty put it. */
    @ParameterizedTest
    @CsvSource({
        "Connection refused, connection refused",
        "Connection refused: /127.0.0.1:1, connection refused: /127.0.0.1:1",
        "finishConnect(..) failed with error(-111): /127.0.0.1:1, connection refused: /127.0.0.1:1",
        "finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:1,"
                + " connection refused: /127.0.0.1:1",
        "finishConnect(..) failed: Connection refused: /127.0.0.1:1, connection refused: /127.0.0.1:1",
        "No route to host, no connection: No route to host"
    })
    void aRefusedConnectionIsNamed(String said, String expected) {
        passes(FILES, new ConnectException(said), expected);
    }

    @Test
    void aConnectExceptionWithoutWordsIsARefusal() {
        passes(FILES, new ConnectException(), "connection refused");
    }

    /** Where a connection fails in several ways, the one that says what to do counts. */
    @Test
    void anUnknownHostIsNotHiddenByItsConnection() {
        ConnectException refused = new ConnectException("");
        refused.initCause(new UnresolvedAddressException());

        passes(FILES, refused, "unknown host");
    }

    private static SSLException handshake(Throwable cause) {
        SSLException failed = new SSLHandshakeException("PKIX path building failed");
        failed.initCause(cause);
        return failed;
    }

    @Test
    void aCertificateThatIsNotAcceptedIsNamedByItsDeepestCause() {
        isSetup(
                FILES,
                handshake(new CertificateException("PKIX", new CertPathValidatorException("validity check failed"))),
                "certificate is not accepted: validity check failed",
                "caFile");
        isSetup(FILES, new SSLPeerUnverifiedException("peer not authenticated"), "not accepted", "caFile");
        isSetup(NO_FILES, new SSLHandshakeException("PKIX path building failed"), "not accepted: PKIX", "JVM trust");
    }

    @Test
    void otherFaultsOfTlsSayWhatToDo() {
        isSetup(FILES, new SSLException("Received fatal alert: bad_certificate"), "certFile and keyFile");
        isSetup(NO_FILES, new SSLException("Received fatal alert: bad_certificate"), "not accepted");
        passes(
                NO_FILES,
                new SSLException("Received fatal alert: internal_error"),
                "the connection broke: Received fatal alert: internal_error");
        for (String said : new String[] {"Unsupported or unrecognized SSL message", "plaintext connection?"}) {
            isSetup(FILES, new SSLException(said), "does not speak TLS", "write plain:");
        }
        passes(FILES, new SSLException("closing inbound"), "the connection broke: closing inbound");
    }

    @Test
    void whatIsNotTheNetworksIsLeftToTheStore() {
        assertThat(FILES.find("store: ", new IllegalStateException("odd"))).isEmpty();
    }

    @Test
    void aHandshakeThatFailsForGoodIsTold() {
        assertThat(NetworkFaults.handshake(new IOException(new SSLException("no protocol in common"))))
                .get()
                .asString()
                .contains("TLS handshake failed: no protocol in common", "caFile");
        assertThat(NetworkFaults.handshake(handshake(new CertificateException("No name matching x found"))))
                .get()
                .asString()
                .contains("No name matching x found");
        assertThat(NetworkFaults.handshake(new SSLException("reset", new IOException("reset"))))
                .isEmpty();
    }

    /** As Netty and the JDK say it: the server stood still, or ended in the midst of the handshake. */
    @Test
    void aHandshakeThatWasCutShortMaySucceedLater() {
        for (String said : List.of(
                "handshake timed out after 10000ms",
                "Connection closed while SSL/TLS handshake was in progress",
                "SSLEngine closed already",
                "Received close_notify during handshake")) {
            SSLException cutShort = new SSLHandshakeException(said);
            assertThat(NetworkFaults.handshake(cutShort)).as(said).isEmpty();
            assertThat(FILES.find("store: ", cutShort))
                    .get()
                    .isInstanceOf(StoreUnavailableException.class)
                    .asString()
                    .contains("the connection broke: " + said);
        }
    }
}
