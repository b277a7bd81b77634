package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.WrongServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people get wrong, on the emulator: every sentence says what to do, and none has a secret in it. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteBadInputServerIT {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    private static int port() {
        return AZURITE.server().port("blob");
    }

    private static String url(String parameters) {
        return Azurite.url(port()) + "?" + parameters;
    }

    /** The failure of a first read. */
    private static Throwable reading(String url) {
        try (Client client = new Client(url)) {
            return catchThrowable(() -> client.read(Client.key("bad")));
        } catch (ElectionException e) {
            return e;
        }
    }

    private static void requireNoSecret(Throwable failure, String secret) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        assertThat(text.toString()).doesNotContain(secret);
    }

    @Test
    void aLeaseThatTheServiceDoesNotGrantIsRefusedWithBothNumbers() {
        for (String lease : List.of("14s", "61s", "5s", "2m")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ElectionClient.connect(url("lease=" + lease)))
                    .withMessageContainingAll("lease", lease)
                    .withMessageMatching("(?s).*(15s|60s|1m).*");
        }
    }

    @Test
    void aWrongKey() {
        String key = "d3JvbmcgYnV0IHdlbGwtZm9ybWVk";
        Path file = Files.secret(key);

        Throwable failure = reading(url("accountKeyFile=" + file));

        assertThat(failure).isInstanceOf(StoreSetupException.class).hasMessageContaining("credentials are wrong");
        requireNoSecret(failure, key);
    }

    @Test
    void aKeyThatIsNone() {
        Path file = Files.secret("not base64!");

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> new Client(url("accountKeyFile=" + file)))
                .withMessageContaining("no base64")
                .withMessageNotContaining("not base64!");
    }

    @Test
    void aConnectionStringThatIsMalformed() {
        for (String text :
                List.of("nonsense", "AccountName=a", "AccountKey=c2VjcmV0", "AccountName=x;;secret7yrucse")) {
            Path file = Files.secret(text);
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> new Client(url("connectionFile=" + file)))
                    .withMessageContaining("connection string can't be used")
                    .withMessageNotContaining("c2VjcmV0")
                    .withMessageNotContaining("secret7yrucse");
        }
    }

    @Test
    void aConnectionStringOfAnotherAccount() {
        Path file = Files.secret("AccountName=other;AccountKey=c2VjcmV0");

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> new Client(url("connectionFile=" + file)))
                .withMessageContainingAll("'other'", "'" + Azurite.ACCOUNT + "'");
    }

    @Test
    void aConnectionStringThatFits() {
        Path file = Files.secret("DefaultEndpointsProtocol=http;AccountName=" + Azurite.ACCOUNT + ";AccountKey="
                + Credentials.EMULATOR_KEY + ";BlobEndpoint=http://127.0.0.1:1/" + Azurite.ACCOUNT + ";");

        assertThat(reading(url("connectionFile=" + file))).isNull();
        assertThat(reading(url("connectionFile=" + Files.secret("UseDevelopmentStorage=true"))))
                .isNull();
    }

    @Test
    void aSignatureIsEnoughToElect() {
        try (Operator operator = new Operator(port())) {
            operator.createContainer();
            Path file = Files.secret("?" + operator.sas("rwl", HOUR));
            try (Client client = new Client(url("sasFile=" + file))) {
                RecordKey key = Client.key("signed");
                Observation.Held held = client.lead(key);
                client.proclaim(held, "next");
                client.release(client.readHeld(key));
            }
        }
    }

    @Test
    void aSignatureThatIsOverOrOfNoUse() {
        try (Operator operator = new Operator(port())) {
            operator.createContainer();
            String over = operator.sas("rwl", Duration.ofMinutes(-5));
            Throwable failure = reading(url("sasFile=" + Files.secret(over)));
            assertThat(failure)
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageMatching(
                            "(?s).*: the signature ended at 20[-0-9]+T[0-9:]+Z; put another into the file of sasFile.*403.*");
            requireNoSecret(failure, over.replaceFirst(".*sig=", ""));

            assertThat(reading(url("sasFile=" + Files.secret("sv=2020-01-01&se=2020"))))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContaining("no sig=");
        }
    }

    /** The service, and its tool, take an end without seconds, too. */
    @Test
    void theDoctorSaysWhenASignatureEnds() {
        try (Operator operator = new Operator(port())) {
            operator.createContainer();
            String tomorrow = Instant.now().plus(Duration.ofDays(1)).toString().substring(0, 16);
            assertThat(ofTheCredentials(operator.sas("rwl", Duration.ofMinutes(-5))))
                    .isEqualTo(Finding.Severity.ERROR + " which ended at; put another into the file of sasFile");
            for (String soon : List.of(operator.sas("rwl", Duration.ofDays(6)), "se=" + tomorrow + "Z&sig=eA")) {
                assertThat(ofTheCredentials(soon))
                        .isEqualTo(Finding.Severity.WARNING + " which ends at; put another into the file of sasFile");
            }
            assertThat(ofTheCredentials(operator.sas("rwl", Duration.ofDays(8))))
                    .isEqualTo(Finding.Severity.OK + " which ends at");
        }
    }

    /** How bad it is, and what is said of the end but the time. */
    private static String ofTheCredentials(String signature) {
        AzureBlobSettings settings = AzureBlobUrl.settings(StoreUrl.parse(url("sasFile=" + Files.secret(signature))));
        try (BlobConnection connection = new BlobConnection(settings)) {
            return Client.answer(new AzureBlobDiagnosis(settings, connection).findings(Client.call())).stream()
                    .filter(each -> each.subject().equals("credentials"))
                    .map(each -> each.severity()
                            + each.sentence()
                                    .replaceFirst("^[^,]*,", "")
                                    .replaceFirst(" 20[-0-9]+T[0-9:.]+Z", "")
                                    .replaceFirst(", which is read again.*", ""))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** What can't be part of a URL would be quoted by whoever finds that out. */
    @ParameterizedTest
    @ValueSource(strings = {"\"%s\"", "%s%%zz", "<%s>", "%s\\"})
    void aSignatureThatWasPastedWithMoreThanItself(String form) {
        String secret = "kTVx4J2uQfO0";
        String pasted = String.format(form, "sv=2024-01-01&se=2030-01-01T00:00:00Z&sp=rwl&sig=" + secret);

        Throwable failure = reading(url("sasFile=" + Files.secret(pasted)));

        assertThat(failure).isInstanceOf(StoreSetupException.class).hasMessageContaining("quotes");
        requireNoSecret(failure, secret);
    }

    @Test
    void aSignatureWithoutTheRightToWrite() {
        try (Operator operator = new Operator(port())) {
            operator.createContainer();
            try (Client client = new Client(url("sasFile=" + Files.secret(operator.sas("rl", HOUR))))) {
                assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> client.lead(Client.key("unwritable")))
                        .withMessageContaining("lack a right");
            }
        }
    }

    /** Put into the file before the old one ends, it is used from the first refusal on. */
    @Test
    void aSignatureIsExchangedWhileALeaderLeads() throws Exception {
        try (Operator operator = new Operator(port())) {
            operator.createContainer();
            Path file = Files.secret(operator.sas("rwl", Duration.ofSeconds(6)));
            try (ElectionClient client = ElectionClient.connect(url("lease=15s&sasFile=" + file));
                    Leadership term =
                            client.election(Client.key("exchanged").name()).campaign("x")) {
                java.nio.file.Files.writeString(file, operator.sas("rwl", HOUR));

                Await.passing(Duration.ofSeconds(18));

                assertThat(term.isValid()).isTrue();
            }
        }
    }

    /**
     * Reading them again takes a while, and a renewal that is sent after that would prolong a lease that nobody leads
     * by.
     */
    @Test
    void nothingIsSentWithOtherCredentialsOnceItsCallIsOver() throws Exception {
        try (Operator operator = new Operator(port());
                HttpFaults faults = HttpFaults.before(port())) {
            operator.createContainer();
            Path file = Files.secret(operator.sas("rwl", Duration.ofMinutes(-5)));
            AzureBlobSettings settings =
                    AzureBlobUrl.settings(StoreUrl.parse(Azurite.url(faults.port()) + "?sasFile=" + file));
            java.nio.file.Files.writeString(file, operator.sas("rwl", HOUR));
            String renewal = "PUT lease renew";
            AtomicReference<Throwable> failure = new AtomicReference<>();
            AtomicInteger tries = new AtomicInteger();
            try (BlobConnection connection = new BlobConnection(settings)) {
                // Files are not read again at once.
                Await.until("the credentials to be exchanged", PATIENCE, () -> {
                    int before = tries.getAndIncrement();
                    CallContext call = CallContext.until(
                            HOUR.toNanos(), () -> faults.requests(renewal).size() == before ? 0 : 2 * HOUR.toNanos());
                    String lease = "00000000-0000-0000-0000-000000000001";
                    failure.set(catchThrowable(
                            () -> Client.answer(connection.renew("renewing", "no-such-blob", lease, "0x1", call))));
                    return !(failure.get() instanceof StoreSetupException);
                });
            }
            assertThat(failure.get())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no answer in time");
            assertThat(faults.requests(renewal)).hasSize(tries.get());
        }
    }

    @Test
    void noCredentialsAtAll() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> new Client("azblob+http://127.0.0.1:" + port() + "/somebody/leases"))
                .withMessageContainingAll(
                        "'somebody'", "connectionFile", "AZURE_STORAGE_CONNECTION_STRING", "identity");
    }

    @Test
    void aHostThatNamesNoAccount() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> new Client("azblob://127.0.0.1:" + port() + "/leases"))
                .withMessageContainingAll(
                        "'127.0.0.1:" + port() + "'", "azblob+http://127.0.0.1:" + port() + "/account/container");
    }

    @Test
    void anIdentityWithoutItsLibrary() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> new Client("azblob://somebody/leases?auth=identity"))
                .withMessageContainingAll("com.azure:azure-identity", "class path");
    }

    @Test
    void nobodyListensThere() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertThat(reading(Azurite.url(port)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("connection refused");
    }

    @Test
    void theHostIsNotKnown() {
        assertThat(reading("azblob+http://no-such-host.invalid:1/" + Azurite.ACCOUNT + "/leases"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("unknown host");
    }

    @Test
    void aServerThatIsNoBlobService() throws IOException {
        for (String said : List.of(
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: \"x\"\r\n\r\n",
                "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "\u0000\u0001garbage\r\n\r\n")) {
            try (WrongServer server = WrongServer.saying(said)) {
                assertThat(reading(Azurite.url(server.port())))
                        .as(said)
                        .isInstanceOf(StoreSetupException.class)
                        .hasMessageContaining("not a blob service");
            }
        }
    }

    @Test
    void anAnswerWithoutAnEnd() throws IOException {
        String listing =
                "HTTP/1.1 200 OK\r\nx-ms-request-id: 1\r\nETag: \"1\"\r\nx-ms-lease-state: available\r\nContent-Type: application/xml\r\n\r\n<?xml version=\"1.0\"?>";
        try (WrongServer server = WrongServer.sayingForEver(listing);
                Client client = new Client(Azurite.url(server.port()))) {
            assertThatExceptionOfType(ElectionException.class)
                    .isThrownBy(() -> Client.answer(
                            client.store.list(RecordKey.elections(), dev.mandate.spi.Cursor.START, Client.call())))
                    .withMessageContaining("does not end");
        }
    }

    @Test
    void noTlsWhereTlsIsExpected() {
        Throwable failure = catchThrowable(() -> {
            try (Client client = new Client("azblob://127.0.0.1:" + port() + "/leases?connectionFile="
                    + Files.secret("UseDevelopmentStorage=true"))) {
                client.read(Client.key("tls"));
            }
        });
        assertThat(failure).isInstanceOf(StoreSetupException.class).hasMessageContaining("azblob+http://");
    }

    @Test
    void aServerThatSaysNothingIsGivenUpInTime() throws IOException {
        try (ServerSocket silent = new ServerSocket(0);
                Client client = new Client(Azurite.url(silent.getLocalPort()))) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> Client.answer(client.store.read(
                            Client.key("silent"), dev.mandate.spi.CallContext.within(Duration.ofMillis(300)))))
                    .withMessageContaining("no answer in time");
        }
    }
}
