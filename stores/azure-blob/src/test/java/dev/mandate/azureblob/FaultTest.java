package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.core.http.HttpHeaderName;
import com.azure.storage.blob.models.BlobStorageException;
import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which failure somebody has to act on, which passes, and after which one a request may have been carried out. */
class FaultTest {
    private static final String START = "blobs: reading: ";

    private static ElectionException of(Throwable thrown, boolean wasAzure) {
        return Fault.of("blobs", "reading", thrown, Optional::empty, wasAzure);
    }

    private static ElectionException of(Throwable thrown) {
        return of(thrown, false);
    }

    private static void isSetup(ElectionException fault, String... words) {
        assertThat(fault).isInstanceOf(StoreSetupException.class).hasMessageStartingWith(START);
        assertThat(fault.getMessage()).contains(words);
        quotesNothing(fault);
    }

    private static void isDenied(ElectionException fault, String... words) {
        isSetup(fault, words);
        assertThat(((StoreSetupException) fault).isDenied()).isTrue();
    }

    private static void passes(ElectionException fault, String... words) {
        assertThat(fault).isInstanceOf(StoreUnavailableException.class).hasMessageStartingWith(START);
        assertThat(fault.getMessage()).contains(words);
        quotesNothing(fault);
    }

    /** What the service and the SDK say may have the signature in it. */
    private static void quotesNothing(ElectionException fault) {
        StringWriter text = new StringWriter();
        fault.printStackTrace(new PrintWriter(text));
        assertThat(text.toString()).doesNotContain("c2VjcmV0");
    }

    @Test
    void aFailureOfOursStaysWhatItIs() {
        ElectionException known = new StoreUnavailableException("known", null);

        assertThat(of(new RuntimeException(known))).isSameAs(known);
    }

    @ParameterizedTest
    @CsvSource({"429, ''", "500, InternalError", "503, ServerBusy", "599, ''"})
    void whatIsRefusedForNowPasses(int status, String code) {
        passes(of(Refusal.of(status, code)), ("refused for now, HTTP status " + status + " " + code).strip());
        passes(of(Refusal.of(status, code, Map.of())), "refused for now");
    }

    @ParameterizedTest
    @CsvSource({"409, ContainerBeingDeleted", "409, BlobBeingRehydrated"})
    void whatTheServiceIsAboutToDoPasses(int status, String code) {
        passes(of(Refusal.of(status, code)), "not possible for now, " + code);
    }

    @ParameterizedTest
    @CsvSource({
        "403, AuthenticationFailed, rejected the credentials",
        "401, NoAuthenticationInformation, rejected the credentials",
        "403, InvalidAuthenticationInfo, rejected the credentials",
        "403, AuthorizationFailure, firewall",
        "403, AuthorizationPermissionMismatch, lack a right",
        "403, AuthorizationResourceTypeMismatch, lack a right",
        "403, AuthorizationServiceMismatch, lack a right",
        "403, AuthorizationSourceIPMismatch, lack a right",
        "403, AuthorizationProtocolMismatch, lack a right",
        "403, InsufficientAccountPermissions, lack a right",
        "403, AccountIsDisabled, the account is disabled",
        "403, SomethingNew, these credentials were rejected"
    })
    void credentialsThatAreRefusedAreDenied(int status, String code, String words) {
        isDenied(of(Refusal.of(status, code)), words, "(HTTP status " + status + " " + code + ")");
    }

    @ParameterizedTest
    @CsvSource({
        "404, ContainerNotFound, az storage container create",
        "404, ResourceNotFound, az storage container create",
        "400, MetadataTooLarge, make the value shorter",
        "431, RequestHeaderFieldsTooLarge, make the value shorter",
        "409, BlobArchived, archive tier",
        "409, BlobImmutableDueToPolicy, immutability policy",
        "409, BlobImmutableDueToLegalHold, immutability policy",
        "400, InvalidHeaderValue, rejected the request",
        "400, SomethingNew, rejected the request",
        "400, '', rejected the request"
    })
    void whatTheServiceNeverTakesIsAFaultOfTheSetup(int status, String code, String words) {
        ElectionException fault = of(Refusal.of(status, code), true);

        isSetup(fault, words, "HTTP status " + status);
        assertThat(((StoreSetupException) fault).isDenied()).isFalse();
    }

    @Test
    void anEmulatorThatIsTooOldIsNamed() {
        Map<String, String> azurite = Map.of("x-ms-request-id", "1", "Server", "Azurite-Blob/3.30.0");
        isSetup(of(Refusal.of(400, "InvalidHeaderValue", azurite)), "--skipApiVersionCheck");
        isSetup(
                of(Refusal.of(400, "InvalidHeaderValue", Map.of("x-ms-request-id", "1", "Server", "nginx"))),
                "rejected the request");
    }

    /** A signature that has ended is said to have, and a refusal for another reason is not put down to that. */
    @Test
    void whatHasEndedIsSaidOfARefusalAlone() {
        ElectionException over = Fault.of(
                "blobs", "reading", Refusal.of(403, "AuthenticationFailed"), () -> Optional.of("it ended"), true);
        isDenied(over, START + "it ended (HTTP status 403 AuthenticationFailed)");
        isSetup(
                Fault.of("blobs", "reading", Refusal.of(404, "ContainerNotFound"), () -> Optional.of("it ended"), true),
                "no such container");
    }

    private static String date(Duration ahead) {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.now().atOffset(ZoneOffset.UTC).minus(ahead));
    }

    /** A signature is good for minutes by the service's clock, and the refusal says nothing of that. */
    @ParameterizedTest
    @CsvSource({
        "PT20M, This machine's clock is 20 min ahead of the service's",
        "PT-20M, min behind the service's",
        "PT6M, This machine's clock is 6 min ahead of",
        "PT4M, ",
        "PT-4M, ",
        "PT0S, "
    })
    void aClockThatIsFarOffIsNamed(Duration ahead, @Nullable String words) {
        String message = of(Refusal.of(
                        403, "AuthenticationFailed", Map.of("x-ms-request-id", "1", "Date", date(ahead))))
                .getMessage();

        if (words == null) {
            assertThat(message).doesNotContain("clock");
        } else {
            assertThat(message).contains(words);
        }
    }

    @Test
    void aClockThatIsNotToldIsNotNamed() {
        assertThat(of(Refusal.of(403, "AuthenticationFailed")).getMessage()).doesNotContain("clock");
        assertThat(of(Refusal.of(403, "AuthenticationFailed", Map.of("x-ms-request-id", "1", "Date", "today")))
                        .getMessage())
                .doesNotContain("clock");
    }

    @Test
    void theServicesClockIsReadToTheSecond() {
        assertThat(Fault.clockMillis("Thu, 01 Jan 1970 00:01:40 GMT")).isEqualTo(100_000);
        for (String odd : new String[] {null, "", "soon", "Thu, 01 Jan 999999999 00:00:00 GMT"}) {
            assertThat(Fault.clockMillis(odd)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 404, 409})
    void anAnswerWithoutARequestIdIsNoneOfTheService(int status) {
        BlobStorageException said = Refusal.of(status, "ContainerNotFound", Map.of());
        isSetup(of(said, false), "not a blob service: it answers with HTTP status " + status, "azblob+http://");
        passes(of(said, true), "unexpected reply, not from the blob service");
    }

    /** Only what looks like a code is shown. */
    @ParameterizedTest
    @CsvSource({"BlobNotFound, BlobNotFound", "'<html>', ''", "null, ''", "'', ''"})
    void codesAreShownAndNothingElse(String header, String code) {
        assertThat(Fault.code(Refusal.of(404, header))).isEqualTo(code);
    }

    @Test
    void headersAreReadWhereThereIsAnAnswer() {
        assertThat(Fault.header(Refusal.of(404, "", Map.of("Retry-After", "3")), HttpHeaderName.RETRY_AFTER))
                .isEqualTo("3");
        assertThat(Fault.header(new BlobStorageException("none", null, null), HttpHeaderName.RETRY_AFTER))
                .isNull();
    }

    private static Throwable wrapped(Throwable cause) {
        return new RuntimeException(cause);
    }

    @Test
    void silencePasses() {
        passes(of(new UnknownHostException("account.invalid")), "unknown host");
        passes(of(new UnresolvedAddressException()), "unknown host");
        passes(of(new TimeoutException()), "no answer in time");
        passes(of(new HttpTimeoutException("request timed out")), "no answer in time");
        passes(of(new ConnectException("Connection refused")), "connection refused");
        passes(of(new IOException("Connection reset")), "the connection broke: Connection reset");
    }

    /** Where a connection fails in several ways, the one that says what to do counts. */
    @Test
    void aHostThatIsNotKnownIsNotHiddenByItsConnection() {
        ConnectException refused = new ConnectException("");
        refused.initCause(new UnresolvedAddressException());

        passes(of(refused), "unknown host");
    }

    @Test
    void whatIsNoAnswerOfTheServiceIsAFaultOfTheSetupUnlessItWasOneBefore() {
        isSetup(of(new ProtocolException("Invalid status line"), false), "not a blob service: Invalid status line");
        passes(of(new ProtocolException("Invalid status line"), true), "unexpected reply, not from the blob service");
        isSetup(of(new TooLongException(8), false), "its answer does not end");
        passes(of(new TooLongException(8), true), "its answer does not end");
        isSetup(of(new IllegalStateException("sig=c2VjcmV0"), false), "IllegalStateException while it was read");
        passes(of(new IllegalStateException("sig=c2VjcmV0"), true), "IllegalStateException while it was read");
        passes(Fault.notAzure("blobs", "reading", "its answer is empty", true), "its answer is empty");
        isSetup(Fault.notAzure("blobs", "reading", "its answer is empty", false), "its answer is empty");
    }

    @Test
    void faultsOfTlsSayWhatToDo() {
        isSetup(of(new SSLException("Unsupported or unrecognized SSL message")), "does not speak TLS");
        isSetup(of(new SSLException("plaintext connection?")), "does not speak TLS");
        isSetup(of(new SSLHandshakeException("PKIX path building failed")), "certificate is not accepted: PKIX");
        isSetup(of(new SSLHandshakeException("bad certificate")), "certificate is not accepted");
        isSetup(of(new SSLHandshakeException("No name matching x found")), "certificate is not accepted");
        passes(of(new SSLException("closing inbound")), "the connection broke: closing inbound");
    }

    /** After these, a request may have been carried out: a lease is asked for again, or given back. */
    @Test
    void onlySilenceLeavesOpenWhatBecameOfARequest() {
        for (Throwable open : new Throwable[] {
            new TimeoutException(), new IOException("Connection reset"), new HttpTimeoutException("request timed out")
        }) {
            assertThat(Fault.isSilence(of(open))).as(open.toString()).isTrue();
            assertThat(Fault.isSilence(wrapped(open))).isTrue();
        }
        for (int status : new int[] {500, 502, 504, 599}) {
            assertThat(Fault.isSilence(of(Refusal.of(status, ""))))
                    .as("%s", status)
                    .isTrue();
        }
        assertThat(Fault.isSilence(of(new ConnectException("Connection refused"))))
                .isFalse();
        for (int status : new int[] {400, 403, 404, 409, 412, 429, 503}) {
            assertThat(Fault.isSilence(of(Refusal.of(status, "ServerBusy"))))
                    .as("%s", status)
                    .isFalse();
        }
        assertThat(Fault.isSilence(new IllegalStateException("closed"))).isFalse();
    }

    /** A refusal is an answer: nothing was done and never will be. Everything else is a fault, and unknown. */
    @ParameterizedTest
    @CsvSource({
        "404, BlobNotFound, true",
        "404, ContainerNotFound, true",
        "404, ResourceNotFound, true",
        "404, ContainerBeingDeleted, false",
        "404, SomethingNew, false",
        "404, '', false",
        "409, LeaseIdMismatchWithLeaseOperation, true",
        "409, LeaseAlreadyPresent, true",
        "409, BlobAlreadyExists, true",
        "409, ContainerAlreadyExists, true",
        "409, ConditionNotMet, true",
        "409, BlobImmutableDueToPolicy, false",
        "409, BlobArchived, false",
        "409, '', false",
        "412, ConditionNotMet, true",
        "412, LeaseIdMissing, true",
        "412, '', false",
        "403, ConditionNotMet, false",
        "500, LeaseAlreadyPresent, false",
        "503, ServerBusy, false"
    })
    void whatWasRefusedForItsConditionsWasNotDone(int status, String code, boolean isRefusal) {
        assertThat(BlobConnection.refusal(Refusal.of(status, code)))
                .isEqualTo(isRefusal ? new Answer(code, "", 0) : null);
    }

    @Test
    void anAnswerWithACodeIsNotDone() {
        assertThat(new Answer("", "0x1", 0).isDone()).isTrue();
        assertThat(new Answer("LeaseIdMissing", "", 0).isDone()).isFalse();
        assertThat(new Answer("LeaseIdMissing", "", 0).is("LeaseIdMissing")).isTrue();
        assertThat(new Answer("LeaseIdMissing", "", 0).is("ConditionNotMet")).isFalse();
    }
}
