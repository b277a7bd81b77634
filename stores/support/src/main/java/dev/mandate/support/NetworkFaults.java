package dev.mandate.support;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Why a server could not be reached or did not answer, in the words that all stores use: unknown host, connection
 * refused, TLS, time-out, broken connection. Faults of TLS need another setup; the others may pass. Immutable.
 */
public final class NetworkFaults {
    private static final String REFUSED = "connection refused";

    /** How Netty's native transport says it on Linux. */
    private static final String REFUSED_NUMBER = "(-111)";

    private final String plain;
    private final boolean hasFiles;

    /**
     * The faults of one kind of store.
     *
     * @param plain what to write in the store URL where there is no TLS, like {@code etcd:}
     * @param hasFiles whether the store has the parameters of {@link StoreTls}; else the JVM's trust store counts
     */
    public NetworkFaults(String plain, boolean hasFiles) {
        this.plain = plain;
        this.hasFiles = hasFiles;
    }

    /**
     * The exception for a failure, if the network is its reason.
     *
     * @param start the beginning of the message: store and call
     * @param thrown is searched with all its causes
     */
    public Optional<ElectionException> find(String start, Throwable thrown) {
        List<Throwable> causes = Causes.chain(thrown);
        for (Throwable cause : causes) {
            if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
                String host = cause instanceof UnknownHostException ? ": " + Causes.line(cause) : "";
                return passing(start + "unknown host" + host, cause);
            }
        }
        for (Throwable cause : causes) {
            if (cause instanceof SSLException || cause instanceof GeneralSecurityException) {
                return Optional.of(ofTls(start, cause, causes.get(causes.size() - 1)));
            }
            if (cause instanceof TimeoutException
                    || cause instanceof HttpTimeoutException
                    || cause instanceof SocketTimeoutException) {
                return passing(start + "no answer in time", cause);
            }
            if (cause instanceof ConnectException) {
                return passing(start + refused(cause), cause);
            }
        }
        return causes.stream()
                .filter(IOException.class::isInstance)
                .findFirst()
                .flatMap(cause -> passing(start + "the connection broke: " + Causes.line(cause), cause));
    }

    private static Optional<ElectionException> passing(String message, Throwable cause) {
        return Optional.of(new StoreUnavailableException(message, cause));
    }

    /** Libraries put their own words around those of the system; the JDK's HTTP client has none. */
    private static String refused(Throwable cause) {
        String line = Causes.line(cause);
        String lower = line.toLowerCase(Locale.ROOT);
        for (String words : new String[] {REFUSED, REFUSED_NUMBER}) {
            int at = lower.lastIndexOf(words);
            if (at >= 0) {
                return REFUSED + line.substring(at + words.length());
            }
        }
        return cause.getMessage() == null ? REFUSED : "no connection: " + line;
    }

    /**
     * Why a TLS handshake failed for good, for a client whose library hides in which phase it failed; empty if TLS is
     * not the reason, or if the handshake took too long or its connection broke.
     */
    public static Optional<String> handshake(Throwable thrown) {
        return Causes.chain(thrown).stream()
                .filter(cause -> cause instanceof GeneralSecurityException
                        || cause instanceof SSLException && cause.getCause() == null && !isCutShort(cause))
                .findFirst()
                .map(cause -> "the TLS handshake failed: " + Causes.line(cause)
                        + "; check caFile, certFile, keyFile and the name in the server's certificate");
    }

    /** Netty and the JDK have no type of their own for all of these. */
    private static boolean isCutShort(Throwable cause) {
        String line = Causes.line(cause);
        return line.contains("timed out") || line.contains("closed") || line.contains("close_notify");
    }

    private ElectionException ofTls(String start, Throwable cause, Throwable deepest) {
        String said = Causes.line(cause);
        boolean isCertificate = cause instanceof SSLPeerUnverifiedException
                || Causes.has(cause, GeneralSecurityException.class)
                || !hasFiles && (said.contains("PKIX") || said.contains("certificate") || said.contains("No name"));
        if (isCertificate) {
            return new StoreSetupException(
                    start + "the server's certificate is not accepted: " + Causes.line(deepest)
                            + (hasFiles
                                    ? "; check caFile and the name in the certificate"
                                    : "; make the JVM trust its authority, and name the server as its certificate does"),
                    cause);
        }
        if (said.contains("SSL message") || said.contains("plaintext")) {
            return new StoreSetupException(
                    start + "the server does not speak TLS; write " + plain + " or another port", cause);
        }
        if (hasFiles && said.contains("fatal alert")) {
            return new StoreSetupException(
                    start + "the server ended the TLS handshake: " + said
                            + "; if it requires a client certificate, give certFile and keyFile",
                    cause);
        }
        return new StoreUnavailableException(start + "the connection broke: " + said, cause);
    }
}
