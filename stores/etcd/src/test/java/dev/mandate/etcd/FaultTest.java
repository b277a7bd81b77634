package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.cert.CertificateExpiredException;
import java.util.List;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

/** What a status means: an answer, something for somebody to change, or unknown. */
class FaultTest {
    private static RuntimeException fault(Status status) {
        return Fault.of("etcd h", "reading", new CompletionException(status.asRuntimeException()));
    }

    @Test
    void whatSomebodyHasToChangeIsPermanent() {
        permanent(Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied"), "rights");
        permanent(
                Status.INVALID_ARGUMENT.withDescription(
                        "etcdserver: authentication failed, invalid user ID or password"),
                "user or password");
        permanent(Status.INVALID_ARGUMENT.withDescription("etcdserver: user name is empty"), "authentication required");
        permanent(Status.RESOURCE_EXHAUSTED.withDescription("etcdserver: mvcc: database space exceeded"), "NOSPACE");
        permanent(Status.INVALID_ARGUMENT.withDescription("etcdserver: request is too large"), "max-request-bytes");
        permanent(Status.UNIMPLEMENTED.withDescription("unknown service etcdserverpb.KV"), "not etcd");
    }

    private static void permanent(Status status, String words) {
        assertThat(fault(status))
                .isInstanceOf(StoreSetupException.class)
                .hasMessageStartingWith("etcd h: reading: ")
                .hasMessageContaining(words);
    }

    @Test
    void everythingElseIsUnknown() {
        for (Status.Code code : Status.Code.values()) {
            boolean isPermanent = code == Status.Code.PERMISSION_DENIED || code == Status.Code.UNIMPLEMENTED;
            if (!isPermanent) {
                assertThat(fault(code.toStatus().withDescription("something")))
                        .as(code.name())
                        .isInstanceOf(StoreUnavailableException.class);
            }
        }
        assertThat(fault(Status.UNAVAILABLE.withCause(new ConnectException("refused"))))
                .hasMessageContaining("no connection: refused");
        for (String said : List.of(
                "finishConnect(..) failed with error(-111): /127.0.0.1:1",
                "finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:1",
                "finishConnect(..) failed: Connection refused: /127.0.0.1:1")) {
            assertThat(fault(Status.UNAVAILABLE.withCause(new ConnectException(said))))
                    .hasMessageEndingWith("reading: connection refused: /127.0.0.1:1");
        }
        assertThat(fault(Status.DEADLINE_EXCEEDED)).hasMessageContaining("no answer in time");
        assertThat(fault(Status.RESOURCE_EXHAUSTED.withDescription("etcdserver: too many requests")))
                .isInstanceOf(StoreUnavailableException.class);
    }

    /** As Netty, the JDK and gRPC nest it. */
    @Test
    void aConnectionThatCannotBeMadeSaysWhatToChange() {
        permanent(
                Status.UNAVAILABLE.withCause(new IOException(
                        "closed", new IllegalStateException("unexpected frame, first 5 bytes: 1503030002"))),
                "write etcds: instead of etcd:");
        permanent(
                Status.INTERNAL.withDescription("http2 exception: First received frame was not SETTINGS"),
                "does not speak HTTP/2");
        permanent(
                Status.UNAVAILABLE.withCause(
                        new IOException("closed", new NotSslRecordException("not an SSL/TLS record"))),
                "write etcd: instead of etcds:");
        permanent(
                Status.UNAVAILABLE.withCause(
                        new IOException("closed", new CertificateExpiredException("NotAfter: yesterday"))),
                "NotAfter: yesterday");
        permanent(Status.UNAVAILABLE.withCause(new SSLException("no protocol in common")), "no protocol in common");
    }

    @Test
    void aConnectionThatMayBeMadeLaterSaysWhatItWaitsFor() {
        unknown(
                Status.UNAVAILABLE.withCause(new IOException("no route", new UnknownHostException("h.invalid"))),
                "unknown host: h.invalid");
        unknown(
                Status.UNAVAILABLE.withDescription("Connection closed while performing TLS negotiation"),
                "ended the TLS handshake");
        unknown(
                Status.UNAVAILABLE.withCause(new SSLException("reset", new IOException("connection reset"))),
                "the connection broke: reset");
        unknown(Status.UNAVAILABLE, "reading: UNAVAILABLE");
        unknown(Status.ABORTED.withDescription("leader changed"), "reading: ABORTED: leader changed");
    }

    private static void unknown(Status status, String words) {
        assertThat(fault(status))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("etcd h: reading: ")
                .hasMessageContaining(words);
    }

    /** Of ours, and said well already. */
    @Test
    void whatIsNoFaultOfTheServersStaysAsItIs() {
        for (RuntimeException ours :
                List.of(new StoreSetupException("write what"), new IllegalStateException("a mistake of ours"))) {
            assertThat(Fault.of("etcd h", "reading", new CompletionException(ours)))
                    .isSameAs(ours);
        }
    }

    @Test
    void aLeaseThatIsGoneIsAnAnswer() {
        assertThat(Fault.isLeaseGone(Status.NOT_FOUND
                        .withDescription("etcdserver: requested lease not found")
                        .asRuntimeException()))
                .isTrue();
        assertThat(Fault.isLeaseGone(
                        Status.NOT_FOUND.withDescription("something else").asRuntimeException()))
                .isFalse();
        assertThat(Fault.isLeaseGone(Status.UNAVAILABLE
                        .withDescription("etcdserver: requested lease not found")
                        .asRuntimeException()))
                .isFalse();
    }

    @Test
    void aTokenThatIsNotAcceptedCanBeHadAnew() {
        for (String said : List.of(
                "etcdserver: invalid auth token",
                "auth: revision in header is old",
                "etcdserver: revision of auth store is old",
                "etcdserver: user name is empty")) {
            assertThat(Fault.isStaleToken(Status.INVALID_ARGUMENT.withDescription(said)))
                    .as(said)
                    .isTrue();
        }
        assertThat(Fault.isStaleToken(Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied")))
                .isFalse();
    }

    /** What a server says may be anything, and end in a terminal. */
    @Test
    void whatTheServerSaysIsQuotedInPartAndWithoutControlCharacters() {
        RuntimeException fault = fault(Status.UNAVAILABLE.withDescription("\u001b[2J\n" + "x".repeat(10_000)));

        assertThat(fault.getMessage()).hasSizeLessThan(400).doesNotContain("\u001b", "\n");
    }
}
