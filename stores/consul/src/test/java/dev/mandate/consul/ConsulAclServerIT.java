package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.HangingFile;
import dev.mandate.testkit.Rotation;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Consul that lets nobody do anything without a token. */
class ConsulAclServerIT {
    private static final String MASTER = "11111111-2222-3333-4444-555555555555";
    private static final RecordKey KEY = RecordKey.election("jobs");

    /** As the documentation says. */
    static final String CANDIDATE =
            "key_prefix \"service/\" { policy = \"write\" } session_prefix \"\" { policy = \"write\" }";

    private static final String OBSERVER = "key_prefix \"service/\" { policy = \"read\" }";

    private static ServerProcess consul;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        consul = started();
    }

    /** A server that asks for tokens, in memory. */
    static ServerProcess started() {
        ServerProcess.Builder builder = ConsulServer.dev(ServerProcess.of(ServerBinary.named(ConsulServer.NAME)));
        return builder.arguments("-hcl=acl { enabled = true default_policy = \"deny\" tokens { master = \"" + MASTER
                        + "\" agent = \"" + MASTER + "\" } }")
                // It answers before its own node is in the catalogue, and until then it refuses sessions.
                .ready(server -> !token(server, CANDIDATE).isEmpty()
                        && ask(server, "PUT", "/v1/session/create", "{\"TTL\":\"10s\",\"Checks\":[]}")
                                .contains("ID"))
                .version(server ->
                        ask(server, "GET", "/v1/agent/self", "").replaceAll("(?s).*\"Version\": *\"([^\"]+)\".*", "$1"))
                .start();
    }

    @AfterAll
    static void stop() {
        if (consul != null) {
            consul.close();
        }
    }

    private static String ask(ServerProcess server, String method, String path, String body) throws Exception {
        return ConsulServer.send(ConsulServer.request(server, path)
                        .header("X-Consul-Token", MASTER)
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build())
                .body();
    }

    /** A new token with these rights. */
    static String token(ServerProcess server, String rules) throws Exception {
        String name = "p" + System.nanoTime();
        ask(
                server,
                "PUT",
                "/v1/acl/policy",
                "{\"Name\":\"" + name + "\",\"Rules\":\"" + rules.replace("\"", "\\\"") + "\"}");
        String answer = ask(server, "PUT", "/v1/acl/token", "{\"Policies\":[{\"Name\":\"" + name + "\"}]}");
        String secret = answer.replaceAll("(?s).*\"SecretID\": *\"([^\"]+)\".*", "$1");
        return secret.matches("[0-9a-f-]{36}") ? secret : "";
    }

    private StoreClient client(String token) throws Exception {
        Path file = folder.resolve("token");
        Files.writeString(file, token + "\n");
        return new StoreClient(ConsulServer.open(consul.port("http"), "tokenFile=" + file));
    }

    @Test
    void theDocumentedRightsAreEnough() throws Exception {
        try (StoreClient client = client(token(consul, CANDIDATE))) {
            Observation.Held held = client.lead(KEY);
            assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            assertThat(client.release(held)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    @Test
    void withoutATokenNothingIsAllowedAndTheMessageSaysWhatToDo() {
        var store = ConsulServer.open(consul.port("http"), "");
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> StoreClient.answer(store.read(KEY, StoreClient.call())))
                .withMessageContaining("tokenFile");
        store.close();
    }

    @Test
    void aTokenThatIsNoneIsRefusedAndNotQuoted() throws Exception {
        String secret = "99999999-8888-7777-6666-555555555555";
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> client(secret))
                .withMessageContaining("ACL token was rejected")
                .satisfies(e -> assertThat(e.toString()).doesNotContain(secret));
    }

    /**
     * Looking needs no more than the right to read; a right to write that is missing is told as such, not as a lost
     * race.
     */
    @Test
    void whoMayOnlyReadCanLookAndNothingElse() throws Exception {
        Path file = folder.resolve("reader");
        Files.writeString(file, token(consul, OBSERVER));
        try (StoreClient candidate = client(token(consul, CANDIDATE));
                var reader = ConsulServer.open(consul.port("http"), "tokenFile=" + file)) {
            RecordKey key = RecordKey.election("looked-at");
            Observation.Held held = candidate.lead(key);

            assertThat(StoreClient.answer(reader.read(key, StoreClient.call())).basis())
                    .isEqualTo(held.basis());
            assertThat(StoreClient.answer(reader.list(RecordKey.elections(), Cursor.START, StoreClient.call()))
                            .items())
                    .extracting(Observation::key)
                    .contains(key);
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> StoreClient.answer(reader.release(key, held, StoreClient.call())))
                    .withMessageContaining("Permission denied");
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(
                            () -> StoreClient.answer(reader.openSession(Duration.ofSeconds(10), StoreClient.call())))
                    .withMessageContaining("ACL token was rejected");
        }
    }

    /** The file is looked at again when its token is refused: a session outlives the exchange. */
    @Test
    void aTokenCanBeExchangedWhileItIsUsed() throws Exception {
        String first = token(consul, CANDIDATE);
        try (StoreClient client = client(first)) {
            RecordKey key = RecordKey.election("exchanged");
            Observation.Held held = client.lead(key);
            Files.writeString(folder.resolve("token"), token(consul, CANDIDATE));
            delete(first);

            Await.until("a renewal with the new token", Duration.ofSeconds(60), () -> isRenewed(client));

            assertThat(client.readHeld(key).basis()).isEqualTo(held.basis());
            assertThat(client.release(held)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    /** The former token is deleted before the file has the new one, and then afterwards. */
    @Test
    void aTermOutlivesRotatedTokens() throws Exception {
        Duration lease = Duration.ofSeconds(12);
        String first = token(consul, CANDIDATE);
        Path file = Rotation.write(folder.resolve("rotated"), first);
        try (ElectionClient client =
                        ElectionClient.connect(ConsulServer.url(consul.port("http"), "lease=12s&tokenFile=" + file));
                Leadership term = client.election("rotated-token").campaign("x")) {
            String second = token(consul, CANDIDATE);
            delete(first);
            Await.passing(Duration.ofSeconds(1));
            Rotation.write(file, second);
            Rotation.isOutlivedBy(term, lease);

            Rotation.write(file, token(consul, CANDIDATE));
            delete(second);
            Rotation.isOutlivedBy(term, lease);
        }
    }

    /** What the token may not do reads its file again; what it may does not wait for that. */
    @Test
    void aTokenFileThatHangsHoldsUpOnlyWhatWasRefused() throws Exception {
        Path file = Rotation.write(folder.resolve("hanging"), token(consul, OBSERVER));
        CallContext call = CallContext.within(Duration.ofMinutes(2));
        try (HangingFile hanging = new HangingFile(file);
                var reader = ConsulServer.open(consul.port("http"), "tokenFile=" + file)) {
            hanging.begin();
            // More than there are threads on which answers may arrive.
            List<CompletableFuture<StoreSession>> all = IntStream.rangeClosed(
                            0, Runtime.getRuntime().availableProcessors())
                    .mapToObj(i ->
                            reader.openSession(Duration.ofSeconds(10), call).toCompletableFuture())
                    .toList();
            Await.until("the file to be read", Duration.ofSeconds(30), hanging::isRead);

            for (int i = 0; i < 5; i++) {
                assertThat(StoreClient.answer(reader.read(KEY, CallContext.within(Duration.ofSeconds(10)))))
                        .isNotNull();
            }

            assertThat(all).noneMatch(CompletableFuture::isDone);
            hanging.end(token(consul, OBSERVER));
            for (CompletableFuture<StoreSession> refused : all) {
                assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> StoreClient.answer(refused))
                        .withMessageContaining("ACL token was rejected");
            }
        }
    }

    private static void delete(String token) throws Exception {
        String accessor = ConsulServer.send(ConsulServer.request(consul, "/v1/acl/token/self")
                        .header("X-Consul-Token", token)
                        .GET()
                        .build())
                .body()
                .replaceAll("(?s).*\"AccessorID\": *\"([^\"]+)\".*", "$1");
        ask(consul, "DELETE", "/v1/acl/token/" + accessor, "");
    }

    private static boolean isRenewed(StoreClient client) {
        try {
            return client.renew() instanceof SessionRenewal.Renewed;
        } catch (StoreSetupException e) {
            return false;
        }
    }
}
