package dev.mandate.azureblob;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpResponse;
import com.azure.storage.blob.models.BlobStorageException;
import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import dev.mandate.support.NetworkFaults;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns missing and unusable answers into exceptions: the setup has to change, or it may work later. A service that
 * once answered as the blob service counts as temporarily away when it answers otherwise, as a proxy may. Of the
 * service's texts, only error codes are quoted.
 */
final class Fault {
    static final String NO_CONTAINER =
            "there is no such container; create it: az storage container create, or let a candidate make it (create=true in"
                    + " the store URL)";

    static final HttpHeaderName REQUEST_ID = HttpHeaderName.fromString("x-ms-request-id");

    private static final Duration SKEW = Duration.ofMinutes(5);

    private static final NetworkFaults NETWORK = new NetworkFaults("azblob+http://", false);

    private Fault() {}

    /** The fault of a missing or negative answer; {@code over} tells if the credentials expired, and what to do. */
    static ElectionException of(
            String store, Object what, Throwable thrown, Supplier<Optional<String>> over, boolean wasAzure) {
        List<Throwable> causes = Causes.chain(thrown);
        for (Throwable cause : causes) {
            if (cause instanceof ElectionException known) {
                return known;
            }
            if (cause instanceof BlobStorageException said) {
                return ofAnswer(store + ": " + what + ": ", said, over, wasAzure);
            }
        }
        return ofSilence(store + ": " + what + ": ", thrown, causes, wasAzure);
    }

    private static ElectionException ofAnswer(
            String start, BlobStorageException said, Supplier<Optional<String>> over, boolean wasAzure) {
        int status = said.getStatusCode();
        String code = code(said);
        if (status == 429 || status >= 500) {
            return new StoreUnavailableException(start + "refused for now, " + named(status, code), new Said(said));
        }
        if (header(said, REQUEST_ID) == null) {
            return notAzure(start, "it answers with HTTP status " + status, wasAzure, new Said(said));
        }
        Optional<String> isOver = status == 403 ? over.get() : Optional.empty();
        if (isOver.isPresent()) {
            return StoreSetupException.denied(
                    start + isOver.get() + skew(said) + " (" + named(status, code) + ")", new Said(said));
        }
        String todo = switch (code) {
            case "ContainerBeingDeleted", "BlobBeingRehydrated" -> "";
            case "AuthenticationFailed", "InvalidAuthenticationInfo", "NoAuthenticationInformation" ->
                "the service rejected the credentials: a wrong key, or a signature that has expired or does not"
                        + " fit this account and container" + skew(said)
                        + "; correct them, see docs/stores/azure-blob.md";
            case "AuthorizationFailure" ->
                "these credentials are wrong or lack a right, or the account's firewall blocks this machine"
                        + skew(said) + "; docs/stores/azure-blob.md lists the rights of a signature and of a role";
            case "AuthorizationPermissionMismatch",
                    "AuthorizationResourceTypeMismatch",
                    "AuthorizationServiceMismatch",
                    "AuthorizationSourceIPMismatch",
                    "AuthorizationProtocolMismatch",
                    "InsufficientAccountPermissions" ->
                "these credentials lack a right" + skew(said)
                        + "; docs/stores/azure-blob.md lists the rights of a signature and of a role";
            case "AccountIsDisabled" -> "the account is disabled";
            case "ContainerNotFound", "ResourceNotFound" -> NO_CONTAINER;
            case "MetadataTooLarge", "RequestHeaderFieldsTooLarge" ->
                "the record is too large for a blob's metadata, 8 KiB; make the value shorter";
            case "BlobArchived" ->
                "the blob is in the archive tier, where nothing can be written; move it to Hot (az storage blob set-tier)"
                        + " and exclude the container from lifecycle rules";
            case "InvalidHeaderValue" -> invalidHeader(said);
            default ->
                code.startsWith("BlobImmutable")
                        ? "an immutability policy or legal hold forbids changes; keep elections in a container without one"
                        : status == 403 ? "these credentials were rejected" + skew(said) : null;
        };
        if (todo == null) {
            return new StoreSetupException(
                    start + "the service rejected the request, " + named(status, code), new Said(said));
        }
        if (status == 401 || status == 403) {
            return StoreSetupException.denied(start + todo + " (" + named(status, code) + ")", new Said(said));
        }
        return todo.isEmpty()
                ? new StoreUnavailableException(start + "not possible for now, " + code, new Said(said))
                : new StoreSetupException(start + todo + " (" + named(status, code) + ")", new Said(said));
    }

    /** The emulator rejects interface versions newer than itself; the service knows all that the SDK uses. */
    private static @Nullable String invalidHeader(BlobStorageException said) {
        String server = header(said, HttpHeaderName.SERVER);
        return server != null && server.startsWith("Azurite")
                ? "the emulator does not know this version of the interface; start it with --skipApiVersionCheck"
                : null;
    }

    private static String named(int status, String code) {
        return "HTTP status " + status + (code.isEmpty() ? "" : " " + code);
    }

    /** The code of an error; empty if it has none. */
    static String code(BlobStorageException said) {
        String code = String.valueOf(said.getErrorCode());
        return code.matches("[A-Za-z0-9]{1,80}") && !code.equals("null") ? code : "";
    }

    static @Nullable String header(BlobStorageException said, HttpHeaderName name) {
        HttpResponse response = said.getResponse();
        return response == null ? null : response.getHeaderValue(name);
    }

    /** The time in a {@code Date} header; 0 if missing or unreadable. */
    static long clockMillis(@Nullable String date) {
        try {
            return date == null
                    ? 0
                    : ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant()
                            .toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            return 0;
        }
    }

    /** For messages: how far this machine's clock is off, which can invalidate signatures; empty if little. */
    private static String skew(BlobStorageException said) {
        long clock = clockMillis(header(said, HttpHeaderName.DATE));
        Duration ahead = Duration.between(Instant.ofEpochMilli(clock), Instant.now());
        if (clock == 0 || ahead.abs().compareTo(SKEW) < 0) {
            return "";
        }
        return ". This machine's clock is " + ahead.abs().toMinutes() + " min "
                + (ahead.isNegative() ? "behind" : "ahead of") + " the service's; set it right";
    }

    /** Something answers, but not like the blob service. */
    static ElectionException notAzure(String store, Object what, String why, boolean wasAzure) {
        return notAzure(store + ": " + what + ": ", why, wasAzure, new ProtocolException(why));
    }

    private static ElectionException notAzure(String start, String why, boolean wasAzure, Throwable cause) {
        return wasAzure
                ? new StoreUnavailableException(start + "unexpected reply, not from the blob service: " + why, cause)
                : new StoreSetupException(
                        start + "the server is not a blob service: " + why
                                + "; correct the host or the account, and write azblob+http:// where there is no TLS",
                        cause);
    }

    private static ElectionException ofSilence(
            String start, Throwable thrown, List<Throwable> causes, boolean wasAzure) {
        for (Throwable cause : causes) {
            if (cause instanceof TooLongException) {
                return notAzure(start, "its answer does not end", wasAzure, cause);
            }
            if (cause instanceof ProtocolException) {
                return notAzure(start, Causes.line(cause), wasAzure, cause);
            }
        }
        // Without a reason in the network it is not readable as an answer: garbage, or an error in the SDK. Its text is
        // not passed on: it may quote the request, including the signature.
        String why = thrown.getClass().getSimpleName() + " while it was read";
        return NETWORK.find(start, thrown).orElseGet(() -> notAzure(start, why, wasAzure, new ProtocolException(why)));
    }

    /** Whether a request got no conclusive answer, so that it may have been executed. */
    static boolean isSilence(Throwable thrown) {
        return Causes.chain(thrown).stream()
                .anyMatch(cause -> cause instanceof Said said
                        ? said.isVague
                        : cause instanceof TimeoutException
                                || cause instanceof IOException && !(cause instanceof ConnectException));
    }

    /** The service's error, without what it quotes from the request. */
    static final class Said extends Exception {
        private static final long serialVersionUID = 1L;

        /** Whether the outcome of the request is unknown. */
        private final boolean isVague;

        Said(BlobStorageException said) {
            super(named(said.getStatusCode(), code(said)), null, false, false);
            this.isVague = said.getStatusCode() >= 500 && said.getStatusCode() != 503;
        }
    }
}
