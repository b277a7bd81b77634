package dev.mandate.etcd;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import dev.mandate.support.NetworkFaults;
import io.grpc.Status;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Turns failed calls into exceptions. Server texts are quoted in part, without control characters. */
final class Fault {
    /** In this order: it expired; users or rights have changed since, as 3.4 and 3.5 say it; it was missing. */
    private static final List<String> STALE_TOKEN = List.of(
            "invalid auth token", "revision in header is old", "revision of auth store is old", "user name is empty");

    private static final NetworkFaults NETWORK = new NetworkFaults("etcd:", true);

    private Fault() {}

    /**
     * Names the store, what was tried, what went wrong and what to do.
     *
     * @return a {@link StoreSetupException} if the setup has to change, else a {@link StoreUnavailableException}; our
     *     own exceptions unchanged
     */
    static RuntimeException of(String store, String what, Throwable thrown) {
        Throwable failure = Causes.unwrapped(thrown);
        if (failure instanceof ElectionException || failure instanceof IllegalStateException) {
            return (RuntimeException) failure;
        }
        Status status = Status.fromThrowable(failure);
        String todo = permanent(status);
        String message = store + ": " + what + ": ";
        if (isDenied(status)) {
            return StoreSetupException.denied(message + todo, failure);
        }
        return todo != null ? new StoreSetupException(message + todo, failure) : passing(message, status, failure);
    }

    /** Whether the server rejected the token, or now requires one: a new one may help. The request was not executed. */
    static boolean isStaleToken(Status status) {
        return STALE_TOKEN.stream().anyMatch(words -> says(status, words));
    }

    /** Whether the server rejected the user or the password. */
    static boolean isRejected(Status status) {
        return says(status, "invalid user ID or password");
    }

    /** Whether a lease has ended. A write that names it was not and will not be executed. */
    static boolean isLeaseGone(Throwable thrown) {
        Status status = Status.fromThrowable(thrown);
        return status.getCode() == Status.Code.NOT_FOUND && says(status, "lease not found");
    }

    static boolean says(Status status, String words) {
        boolean isSaid =
                status.getDescription() != null && status.getDescription().contains(words);
        return isSaid
                || status.getCause() != null
                        && Causes.chain(status.getCause()).stream()
                                .anyMatch(cause -> cause.getMessage() != null
                                        && cause.getMessage().contains(words));
    }

    /** Whether the user is missing, rejected or without rights. */
    private static boolean isDenied(Status status) {
        return status.getCode() == Status.Code.PERMISSION_DENIED
                || isRejected(status)
                || says(status, "user name is empty");
    }

    private static @Nullable String permanent(Status status) {
        if (isRejected(status)) {
            return "the server refuses this user or password";
        }
        if (says(status, "user name is empty")) {
            return "authentication required; write user@ before the host and add passwordFile or passwordEnv,"
                    + " or give a client certificate";
        }
        if (status.getCode() == Status.Code.PERMISSION_DENIED) {
            return "this user lacks rights; grant a role of this user readwrite on the keys"
                    + " (docs/stores/etcd.md lists them)";
        }
        if (says(status, "database space exceeded")) {
            return "the server's database is full (alarm NOSPACE); compact and defragment it, then etcdctl alarm disarm";
        }
        if (says(status, "request is too large")) {
            return "the record is larger than the server allows (--max-request-bytes); make the value shorter";
        }
        if (status.getCode() == Status.Code.UNIMPLEMENTED) {
            return "the server is not etcd: " + text(status);
        }
        return tls(status);
    }

    private static @Nullable String tls(Status status) {
        if (says(status, "first 5 bytes: 1503")) {
            return "the server speaks TLS; write etcds: instead of etcd:";
        }
        if (says(status, "First received frame was not SETTINGS")) {
            return "the server does not speak HTTP/2, so it is not etcd";
        }
        Throwable cause = status.getCause();
        if (cause == null) {
            return null;
        }
        boolean isPlain = Causes.chain(cause).stream()
                .anyMatch(each -> each.getClass().getSimpleName().equals("NotSslRecordException"));
        return isPlain
                ? "the server does not speak TLS; write etcd: instead of etcds:"
                : NetworkFaults.handshake(cause).orElse(null);
    }

    private static ElectionException passing(String message, Status status, Throwable failure) {
        if (says(status, "while performing TLS negotiation")) {
            return new StoreUnavailableException(
                    message
                            + "the server ended the TLS handshake; if it does not speak TLS, write etcd: instead of etcds:,"
                            + " and if it requires a client certificate, give certFile and keyFile",
                    failure);
        }
        Throwable cause =
                status.getCode() == Status.Code.DEADLINE_EXCEEDED ? new TimeoutException() : status.getCause();
        return Optional.ofNullable(cause)
                .flatMap(known -> NETWORK.find(message, known))
                .orElseGet(() -> new StoreUnavailableException(message + text(status), failure));
    }

    private static String text(Status status) {
        String description = status.getDescription();
        return status.getCode() + (description == null ? "" : ": " + Excerpt.line(description, Causes.LINE_MAX));
    }
}
