package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import dev.mandate.support.NetworkFaults;
import io.nats.client.AuthenticationException;
import io.nats.client.JetStreamStatusException;
import java.net.ConnectException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Turns failures into exceptions: the setup has to change, or it may work later. Server texts are quoted in part. */
final class Fault {

    /** Error numbers of nats-server. */
    static final int WRONG_SEQUENCE = 10071;

    /** The same, from a leader with another write to this key under way. */
    static final int WRONG_SEQUENCE_UNDER_WAY = 10164;

    static final int NO_MESSAGE = 10037;
    static final int NO_STREAM = 10059;
    private static final int NAME_IN_USE = 10058;
    private static final int NOT_ENABLED = 10076;
    private static final int NOT_ENABLED_FOR_ACCOUNT = 10039;
    private static final int NO_REPLICAS = 10074;
    private static final int TOO_LARGE = 10054;
    private static final int STORE_FAILED = 10077;
    private static final int SEALED = 10109;
    private static final int TTL_INVALID = 10165;
    static final int TTL_DISABLED = 10166;

    /** Not enough resources: of the servers, of the account, in memory, on disk. */
    private static final List<Integer> SHORT = List.of(10002, 10005, 10023, 10028, 10047);

    /** The whole text if fewer servers know each other than there are replicas, as while a cluster is forming. */
    private static final String TOO_FEW = "'no suitable peers for placement'";

    /** Part of the text if that is because a server is away; it may be back soon, as when all are starting. */
    private static final String OFFLINE = "offline";

    /** What servers say if they reject our credentials. */
    private static final List<String> REJECTED = List.of(
            "authorization violation", "authentication error", "authentication expired", "authentication revoked");

    /** What jnats, or our port, says of a server that is not NATS. */
    private static final List<String> NO_NATS = List.of(
            "Read past initial", "non-info initial message", "waiting for INFO", "end of the first line", "Info Json");

    private static final NetworkFaults NETWORK = new NetworkFaults("nats:", true);

    private Fault() {}

    /** The fault of a request without an answer. */
    static ElectionException of(String store, Object what, Throwable thrown) {
        Throwable failure = Causes.unwrapped(thrown);
        if (failure instanceof ElectionException known) {
            return known;
        }
        String message = store + ": " + what + ": ";
        if (isNoResponders(failure)) {
            return new StoreUnavailableException(
                    message + "no responder: the bucket has no leader or no longer exists", failure);
        }
        boolean isBadArgument = failure instanceof IllegalArgumentException;
        if (isBadArgument && says(failure, "Control line is too long")) {
            return new StoreSetupException(
                    message + "the name is too long for a subject of NATS; choose a shorter one", failure);
        }
        if (isBadArgument && says(failure, "payload size exceed")) {
            return new StoreSetupException(
                    message + "the record is larger than the server allows (max_payload); make the value shorter",
                    failure);
        }
        String why = failure instanceof TimeoutException
                ? "no answer in time"
                : failure instanceof CancellationException
                        ? "the connection was lost before the answer"
                        : Causes.line(failure);
        return new StoreUnavailableException(message + why, failure);
    }

    /** Whether no server received the request: it was not and will not be executed. */
    static boolean isNoResponders(Throwable failure) {
        return failure instanceof JetStreamStatusException status
                && status.getStatus().getCode() == 503;
    }

    /** The fault of an error answer: the request was not and will not be executed. */
    static ElectionException of(String store, Object what, Json error) {
        int number = (int) error.number("err_code");
        String said = "'" + Excerpt.line(error.text("description"), Causes.LINE_MAX) + "'";
        String message = store + ": " + what + ": ";
        String todo = todo(number, said);
        if (todo != null) {
            return new StoreSetupException(message + todo);
        }
        String more = said.equals(TOO_FEW)
                ? "; servers with JetStream that know each other are fewer than the replicas asked for: wait until all"
                        + " have joined the cluster, or ask for fewer replicas"
                : "";
        return new StoreUnavailableException(message + "refused for now: " + said + " (" + number + ")" + more);
    }

    private static @Nullable String todo(int number, String said) {
        boolean isShort = SHORT.contains(number) || number == STORE_FAILED;
        if (isShort) {
            return said.contains(OFFLINE) || said.equals(TOO_FEW)
                    ? null
                    : "the servers or the account have no room for it: " + said
                            + "; raise the limits of the bucket or the account, or delete something";
        }
        return switch (number) {
            case NOT_ENABLED, NOT_ENABLED_FOR_ACCOUNT ->
                "JetStream is not enabled (" + said + "); enable it in the servers (-js) and for this account";
            case NO_STREAM -> "bucket not found; checking again";
            case NO_REPLICAS -> "one server alone keeps no replicas; leave out replicas, or use a cluster";
            case NAME_IN_USE -> "a stream of the bucket's name is there with another configuration: " + said;
            case TOO_LARGE -> "the record is larger than the bucket allows (max_msg_size); make the value shorter";
            case SEALED -> "the bucket is sealed: nothing can be written; use another one";
            case TTL_DISABLED, TTL_INVALID ->
                "the bucket no longer allows keys their own time to live (" + said
                        + "); allow them again, or restart the candidates";
            default -> null;
        };
    }

    /** No permission for a subject. */
    static ElectionException denied(String store, Object what, String said) {
        return StoreSetupException.denied(
                store + ": " + what + ": this user lacks rights: '" + Excerpt.line(said, Causes.LINE_MAX)
                        + "'; docs/stores/nats.md lists what is needed",
                null);
    }

    /**
     * Connecting failed.
     *
     * @param thrown the fault of one server
     * @param wasNats whether a NATS server answered there before, so that a strange answer counts as temporary
     */
    static ElectionException ofConnecting(String store, Throwable thrown, boolean isNobody, boolean wasNats) {
        Throwable failure = Causes.unwrapped(thrown);
        String message = store + ": connecting: ";
        String text = Causes.line(failure);
        if (isAuthentication(failure)) {
            return StoreSetupException.denied(
                    message
                            + (isNobody
                                    ? "authentication required; give user@ with passwordFile, tokenFile, credsFile,"
                                            + " nkeyFile, or a certificate"
                                    : "the server refuses this user, password, token or key")
                            + " (" + text + ")",
                    failure);
        }
        Optional<String> setup = tls(failure, text);
        if (setup.isPresent()) {
            return new StoreSetupException(message + setup.get(), failure);
        }
        if (isAny(text, NO_NATS)) {
            String what = message + "the server is not NATS: " + text;
            return wasNats
                    ? new StoreUnavailableException(what, failure)
                    : new StoreSetupException(
                            what + "; correct host and port, and add tlsFirst=true if it expects TLS from the first"
                                    + " byte on",
                            failure);
        }
        if (text.contains("Failed to read initial")) {
            return new StoreUnavailableException(
                    message + "the server closed the connection before it sent anything", failure);
        }
        return NETWORK.find(message, failure).orElseGet(() -> new StoreUnavailableException(message + text, failure));
    }

    /** Whether the server rejected our credentials. */
    static boolean isAuthentication(Throwable thrown) {
        Throwable failure = Causes.unwrapped(thrown);
        return failure instanceof AuthenticationException
                || isAny(Causes.line(failure).toLowerCase(Locale.ROOT), REJECTED);
    }

    private static boolean isAny(String text, List<String> words) {
        return words.stream().anyMatch(text::contains);
    }

    private static Optional<String> tls(Throwable failure, String text) {
        if (text.contains("SSL connection wanted by client")) {
            return Optional.of("the server does not speak TLS; write nats: instead of tls:");
        }
        return text.contains("SSL required by server")
                ? Optional.of("the server speaks TLS; write tls: instead of nats:")
                : NetworkFaults.handshake(failure);
    }

    /** Whether the connection was refused: nothing listens on the port. */
    static boolean isNobody(Throwable failure) {
        return Causes.has(failure, ConnectException.class);
    }

    private static boolean says(Throwable failure, String words) {
        return failure.getMessage() != null && failure.getMessage().contains(words);
    }
}
