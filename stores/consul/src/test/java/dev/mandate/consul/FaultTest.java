package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParseException;
import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which failure somebody has to act on, and which passes: whoever is wrong about that gives up an election, or hides a
 * fault.
 */
class FaultTest {
    private static final String START = "Consul: reading: ";

    private static ElectionException of(int status, String body, boolean wasConsul) {
        Answer answer = new Answer(status, -1, body.getBytes(StandardCharsets.UTF_8));
        return Fault.of("Consul", "reading", answer, wasConsul);
    }

    private static ElectionException of(Throwable thrown, boolean wasConsul) {
        return Fault.of("Consul", "reading", thrown, wasConsul);
    }

    private static void isSetup(ElectionException fault, String... words) {
        assertThat(fault).isInstanceOf(StoreSetupException.class).hasMessageStartingWith(START);
        assertThat(fault.getMessage()).contains(words);
    }

    private static void passes(ElectionException fault, String... words) {
        assertThat(fault).isInstanceOf(StoreUnavailableException.class).hasMessageStartingWith(START);
        assertThat(fault.getMessage()).contains(words);
    }

    @Test
    void aTokenThatIsRefusedIsDenied() {
        ElectionException denied = of(403, "Permission denied", true);

        isSetup(denied, "Permission denied", "tokenFile");
        assertThat(((StoreSetupException) denied).isDenied()).isTrue();
        assertThat(((StoreSetupException) of(400, "Bad request", true)).isDenied())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "413, Value exceeds 524288 byte limit, kv_max_value_size",
        "400, invalid key: x, rejects the key",
        "500, Invalid key: x, rejects the key",
        "400, Bad request: what, rejects the request"
    })
    void whatConsulNeverTakesIsAFaultOfTheSetup(int status, String said, String words) {
        for (boolean wasConsul : new boolean[] {false, true}) {
            isSetup(of(status, said, wasConsul), "'" + said + "'", words);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503, 599})
    void whatIsRefusedForNowPasses(int status) {
        for (boolean wasConsul : new boolean[] {false, true}) {
            passes(of(status, "No cluster leader", wasConsul), "refused for now: 'No cluster leader'");
            passes(of(status, "", wasConsul), "refused for now: HTTP status " + status);
            passes(of(status, "<html>Bad gateway</html>", wasConsul), "refused for now: HTTP status " + status);
        }
    }

    /** A datacenter that answered before is one that is cut off; one that never did is most likely misspelled. */
    @Test
    void aDatacenterThatWasNeverReachedIsWrong() {
        isSetup(of(500, "No path to datacenter", false), "correct the parameter 'dc'");
        passes(of(500, "No path to datacenter", true), "refused for now");
    }

    @ParameterizedTest
    @CsvSource({"404, not found", "301, ''", "600, what", "403, <html>", "413, <html>", "400, <html>", "200, <html>"})
    void anythingElseIsNoConsulUnlessItWasOneBefore(int status, String said) {
        isSetup(of(status, said, false), "is not Consul: it answers with HTTP status " + status, "consuls://");
        passes(of(status, said, true), "unexpected reply, not from Consul: it answers with HTTP status " + status);
    }

    /** A page may quote anything. */
    @Test
    void aPageAboutAKeyIsAPage() {
        isSetup(of(404, "<p>invalid key</p>", false), "not Consul");
        passes(of(503, "<p>invalid key</p>", false), "refused for now");
    }

    @Test
    void aFailureOfOursStaysWhatItIs() {
        ElectionException known = new StoreUnavailableException("known", null);

        assertThat(of(new CompletionException(known), false)).isSameAs(known);
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                Arguments.of(new MalformedAnswerException("an entry without Key or ModifyIndex")),
                Arguments.of(new JsonParseException(null, "Unexpected character")),
                Arguments.of(new ProtocolException("Invalid status line")));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void whatCantBeReadIsNoConsulUnlessItWasOneBefore(Exception cause) {
        isSetup(of(new CompletionException(cause), false), "is not Consul: " + cause.getMessage());
        passes(of(new CompletionException(cause), true), "unexpected reply, not from Consul: " + cause.getMessage());
        assertThat(of(cause, false)).hasCause(cause);
    }

    @Test
    void silencePasses() {
        ConnectException unknown = new ConnectException("");
        unknown.initCause(new UnresolvedAddressException());
        passes(of(new ConnectException("Connection refused"), false), "connection refused");
        passes(of(unknown, false), "unknown host");
        passes(of(new HttpTimeoutException("request timed out"), false), "no answer in time");
        passes(of(new CancellationException(), false), "no answer in time");
        passes(of(new IOException("Connection reset"), false), "the connection broke: Connection reset");
        assertThat(of(new IllegalStateException("closed"), false))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(START + "closed");
    }

    private static SSLException handshake(Throwable cause) {
        SSLException failed = new SSLHandshakeException("PKIX path building failed");
        failed.initCause(cause);
        return failed;
    }

    @Test
    void aCertificateThatIsNotAcceptedIsNamedByItsDeepestCause() {
        isSetup(
                of(handshake(new CertificateException("No name matching consul found")), false),
                "not accepted: No name matching consul found",
                "caFile");
        isSetup(
                of(handshake(new CertPathValidatorException("validity check failed")), false),
                "not accepted: validity check failed");
        isSetup(of(new SSLPeerUnverifiedException("peer not authenticated"), false), "not accepted");
    }

    @Test
    void otherFaultsOfTlsSayWhatToDo() {
        isSetup(of(new SSLException("Received fatal alert: bad_certificate"), true), "certFile and keyFile");
        isSetup(of(new SSLException("Unsupported or unrecognized SSL message"), true), "does not speak TLS");
        isSetup(of(new SSLException("plaintext connection?"), true), "does not speak TLS");
        passes(of(new SSLException("closing inbound"), false), "the connection broke: closing inbound");
    }
}
