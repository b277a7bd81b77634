package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import dev.mandate.support.NetworkFaults;
import java.net.ProtocolException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/**
 * Turns missing and unusable answers into exceptions: the setup has to change, or it may work later. An agent that once
 * answered as Consul counts as temporarily away when it answers otherwise, as a proxy may.
 */
final class Fault {
    private static final NetworkFaults NETWORK = new NetworkFaults("consul://", true);

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
            return new StoreSetupException(start + "this Consul rejects the key (" + said
                    + "); choose one of letters, digits and - _ . / by the parameter 'key' of the store URL");
        }
        if (answer.status() == 429 || answer.status() >= 500 && answer.status() < 600) {
            boolean isWrong = text.contains("No path to datacenter") && !wasConsul;
            return isWrong
                    ? new StoreSetupException(start + said + "; correct the parameter 'dc' of the store URL")
                    : new StoreUnavailableException(start + "refused for now: " + said);
        }
        if (answer.status() == 400 && !isPage) {
            return new StoreSetupException(start + "Consul rejects the request: " + said);
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
                store + ": " + what + ": the ACL token was rejected (" + text
                        + "); give one with this right by tokenFile or tokenEnv, see docs/stores/consul.md",
                null);
    }

    /** Something answers, but not like Consul. */
    static ElectionException noConsul(String store, Object what, String why, boolean wasConsul) {
        return noConsul(store, what, why, wasConsul, new MalformedAnswerException(why));
    }

    private static ElectionException noConsul(
            String store, Object what, String why, boolean wasConsul, Throwable cause) {
        return wasConsul
                ? new StoreUnavailableException(
                        store + ": " + what + ": unexpected reply, not from Consul: " + why, cause)
                : new StoreSetupException(
                        store + ": " + what + ": the server is not Consul: " + why
                                + "; correct host and port, and write consuls:// if it expects TLS",
                        cause);
    }

    /** The fault of a request without an answer. */
    static ElectionException of(String store, Object what, Throwable thrown, boolean wasConsul) {
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
        return NETWORK.find(start, cause instanceof CancellationException ? new TimeoutException() : cause)
                .orElseGet(() -> new StoreUnavailableException(start + Causes.line(cause), cause));
    }
}
