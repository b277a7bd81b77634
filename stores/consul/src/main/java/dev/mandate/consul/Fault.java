package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Turns missing and unusable answers into exceptions: the setup has to change, or it may work later. An agent that once
 * answered as Consul counts as temporarily away when it answers otherwise, as a proxy may.
 */
final class Fault {
    private Fault() {}

    /** The fault of an answer that reports an error. */
    static ElectionException of(String store, String what, Answer answer, boolean wasConsul) {
        String start = store + ": " + what + ": ";
        String text = answer.text();
        boolean isPage = text.startsWith("<");
        String said = text.isEmpty() || isPage ? answer.excerpt() : "'" + text + "'";
        if (answer.status() == 403 && !isPage) {
            return denied(store, what, text);
        }
        if (answer.status() == 413 && !isPage) {
            return new StoreSetupException(start + "too large for this Consul (" + said
                    + "); raise its limits kv_max_value_size and txn_max_req_len");
        }
        if (!isPage && isAboutTheKey(text)) {
            return new StoreSetupException(start + "this Consul does not take the key (" + said
                    + "); choose one of letters, digits and - _ . / by the parameter 'key' of the store URL");
        }
        if (answer.status() == 429 || answer.status() >= 500 && answer.status() < 600) {
            boolean isWrong = text.contains("No path to datacenter") && !wasConsul;
            return isWrong
                    ? new StoreSetupException(start + said + "; correct the parameter 'dc' of the store URL")
                    : new StoreUnavailableException(start + "refused for now: " + said);
        }
        if (answer.status() == 400 && !isPage) {
            return new StoreSetupException(start + "Consul does not take the request: " + said);
        }
        return noConsul(store, what, "it answers with " + answer.excerpt(), wasConsul);
    }

    /** Newer versions reject some keys, not always with a telling status. */
    private static boolean isAboutTheKey(String text) {
        return text.toLowerCase(Locale.ROOT).startsWith("invalid key");
    }

    /** The token lacks a right or is not valid. */
    static ElectionException denied(String store, String what, String text) {
        return StoreSetupException.denied(
                store + ": " + what + ": the ACL token is refused (" + text
                        + "); give one by tokenFile or tokenEnv that may do this, see docs/stores/consul.md",
                null);
    }

    /** Something answers, but not like Consul. */
    static ElectionException noConsul(String store, String what, String why, boolean wasConsul) {
        return noConsul(store, what, why, wasConsul, new MalformedAnswerException(why));
    }

    private static ElectionException noConsul(
            String store, String what, String why, boolean wasConsul, Throwable cause) {
        return wasConsul
                ? new StoreUnavailableException(store + ": " + what + ": this is no answer of Consul's: " + why, cause)
                : new StoreSetupException(
                        store + ": " + what + ": what listens there is no Consul: " + why
                                + "; correct host and port, and write consuls:// if it expects TLS",
                        cause);
    }

    /** The fault of a request without an answer. */
    static ElectionException of(String store, String what, Throwable thrown, boolean wasConsul) {
        Throwable cause = Causes.unwrapped(thrown);
        if (cause instanceof ElectionException known) {
            return known;
        }
        String start = store + ": " + what + ": ";
        if (cause instanceof MalformedAnswerException
                || cause instanceof JsonProcessingException
                || cause instanceof ProtocolException) {
            return noConsul(store, what, Causes.line(cause), wasConsul, cause);
        }
        if (cause instanceof SSLException) {
            return ofTls(start, cause);
        }
        if (cause instanceof ConnectException) {
            return new StoreUnavailableException(
                    start + (isUnknownHost(cause) ? "the host is not known" : "no connection: nobody listens there"),
                    cause);
        }
        if (cause instanceof HttpTimeoutException || cause instanceof CancellationException) {
            return new StoreUnavailableException(start + "no answer in time", cause);
        }
        return new StoreUnavailableException(
                start + (cause instanceof IOException ? "the connection broke: " : "") + Causes.line(cause), cause);
    }

    private static ElectionException ofTls(String start, Throwable cause) {
        String message = Causes.line(cause);
        boolean isCertificate = cause instanceof SSLPeerUnverifiedException
                || Causes.has(cause, CertificateException.class)
                || Causes.has(cause, CertPathValidatorException.class);
        if (isCertificate) {
            return new StoreSetupException(
                    start + "the server's certificate is not accepted: " + Causes.line(deepest(cause))
                            + "; name its authority by caFile, and the server as its certificate does",
                    cause);
        }
        if (message.contains("fatal alert")) {
            return new StoreSetupException(
                    start + "the server ends the TLS handshake: " + message
                            + "; it may ask for a client's certificate: give certFile and keyFile",
                    cause);
        }
        if (message.contains("SSL message") || message.contains("plaintext")) {
            return new StoreSetupException(
                    start + "the server speaks no TLS there; write consul:// or another port", cause);
        }
        return new StoreUnavailableException(start + "the connection broke: " + message, cause);
    }

    private static boolean isUnknownHost(Throwable thrown) {
        return Causes.has(thrown, UnresolvedAddressException.class);
    }

    private static Throwable deepest(Throwable thrown) {
        List<Throwable> causes = Causes.chain(thrown);
        return causes.get(causes.size() - 1);
    }
}
