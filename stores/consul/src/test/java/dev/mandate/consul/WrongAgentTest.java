package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mandate.ElectionClient;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What answers where Consul should: which answer is one, which is none, and which will not get better by itself. */
class WrongAgentTest {
    private static final RecordKey KEY = RecordKey.election("jobs");
    private static final String INDEX = "X-Consul-Index: 7\r\n";
    private static final String SESSION = "11111111-2222-3333-4444-555555555555";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private final AtomicReference<String> answer = new AtomicReference<>("");

    private interface Try {
        void run(ElectionStore store, FakeAgent agent) throws Exception;
    }

    private void with(String said, Try test) throws Exception {
        answer.set(said);
        try (FakeAgent agent = new FakeAgent(request -> answer.get());
                ElectionStore store = ConsulServer.open(agent.port(), "")) {
            test.run(store, agent);
        }
    }

    private static Observation read(ElectionStore store) {
        return StoreClient.answer(store.read(KEY, CallContext.within(Duration.ofSeconds(5))));
    }

    private void isNoConsul(String said) throws Exception {
        with(
                said,
                (store, agent) -> assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> read(store))
                        .withMessageContaining("not Consul"));
    }

    @Test
    void aPageIsNoRecordAndItsAbsenceIsNoVacancy() throws Exception {
        isNoConsul(FakeAgent.http(200, "Content-Type: text/html\r\n", "<html>hello</html>"));
        isNoConsul(FakeAgent.http(404, "", "not found"));
        isNoConsul(FakeAgent.http(301, "Location: /\r\n", ""));
    }

    /** The doctor does not take it for a Consul without a leader, and shows no page. */
    @ParameterizedTest
    @ValueSource(ints = {200, 403, 404, 500})
    void aPageTellsNothingOfConsul(int status) throws Exception {
        String page = "<!DOCTYPE html><html><body>" + "not here ".repeat(30) + "</body></html>";
        with(FakeAgent.http(status, "Content-Type: text/html\r\n", page), (store, agent) -> {
            List<Finding> findings = StoreClient.answer(
                    ((Diagnosable) store).diagnose(Duration.ofSeconds(10), CallContext.within(PATIENCE)));

            assertThat(findings).singleElement().satisfies(finding -> {
                assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
                assertThat(finding.sentence()).contains("not from Consul", "HTTP status " + status);
            });
            assertThat(catchThrowable(() -> read(store)))
                    .message()
                    .hasSizeLessThan(300)
                    .doesNotContain("not here not here not here not here");
        });
    }

    /** Said when the URL is read, and not by everybody who tries to lead, for ever. */
    @Test
    void aLockDelayThatDoesNotCoverTheLeaseIsRefusedWithChecks() {
        for (String check : List.of("checks=serfHealth", "service-checks=web")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ElectionClient.connect("consul://127.0.0.1:1?lock-delay=1s&" + check))
                    .withMessageContainingAll("lock-delay is 1000 ms", "the lease 10000 ms", "leave out the checks");
        }
    }

    @Test
    void anAnswerToEverythingTellsNothingOfConsul() throws Exception {
        with(FakeAgent.http(200, "", "{\"status\":\"ok\"}"), (store, agent) -> {
            assertThat(StoreClient.answer(
                            ((Diagnosable) store).diagnose(Duration.ofSeconds(10), CallContext.within(PATIENCE))))
                    .singleElement()
                    .extracting(Finding::severity)
                    .isEqualTo(Finding.Severity.WARNING);
        });
    }

    @Test
    void garbageIsNoRecord() throws Exception {
        isNoConsul("\u0001\u0002\u0003 hello\r\n\r\n");
        isNoConsul(FakeAgent.http(200, INDEX, "{\"not\":\"entries\"}"));
        isNoConsul(FakeAgent.http(200, INDEX, "["));
        isNoConsul(FakeAgent.http(200, INDEX, "[".repeat(10_000)));
    }

    /** It is bounded by its size, if not by time. */
    @Test
    void aBodyWithoutEndIsNoRecord() throws Exception {
        with(
                "HTTP/1.1 200 OK\r\n" + INDEX + "\r\n[…",
                (store, agent) -> assertThat(
                                catchThrowable(() -> StoreClient.answer(store.read(KEY, CallContext.within(PATIENCE)))))
                        .isInstanceOf(StoreSetupException.class)
                        .hasMessageContaining("bytes"));
    }

    @Test
    void anErrorWithoutEndIsTold() throws Exception {
        with(
                "HTTP/1.1 500 Oops\r\n\r\nno leader…",
                (store, agent) -> assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> read(store))
                        .withMessageContaining("no leader"));
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 502, 503, 504})
    void whatMayGetBetterIsTriedLater(int status) throws Exception {
        with(
                FakeAgent.http(status, "", "rpc error: No cluster leader"),
                (store, agent) -> assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> read(store))
                        .withMessageContaining("No cluster leader"));
    }

    @Test
    void whatDoesNotGetBetterSaysWhatToDo() throws Exception {
        with(
                FakeAgent.http(403, "", "ACL not found"),
                (store, agent) -> assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> read(store))
                        .withMessageContainingAll("ACL not found", "tokenFile"));
        with(
                FakeAgent.http(413, "", "too large"),
                (store, agent) -> assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> read(store))
                        .withMessageContaining("kv_max_value_size"));
        with(
                FakeAgent.http(400, "", "Bad request: what"),
                (store, agent) -> assertThatExceptionOfType(StoreSetupException.class)
                        .isThrownBy(() -> read(store))
                        .withMessageContaining("Bad request: what"));
    }

    /** What was Consul will be again: somebody in between shows a page for a while. */
    @Test
    void anAgentThatWasOneIsNotGivenUp() throws Exception {
        with(FakeAgent.http(404, INDEX, ""), (store, agent) -> {
            assertThat(read(store)).isInstanceOf(Observation.Vacant.class);
            answer.set(FakeAgent.http(200, "", "<html>maintenance</html>"));
            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> read(store));
            answer.set(FakeAgent.http(404, INDEX, ""));
            assertThat(read(store)).isInstanceOf(Observation.Vacant.class);
        });
    }

    private static StoreSession session(ElectionStore store) {
        return StoreClient.answer(store.openSession(Duration.ofSeconds(10), StoreClient.call()));
    }

    /** Of the answers to a write, few say for certain what became of it. */
    @Test
    void aWriteIsUnknownUnlessConsulSaysWhatBecameOfIt() throws Exception {
        with(FakeAgent.http(200, "", "{\"ID\":\"" + SESSION + "\"}"), (store, agent) -> {
            StoreSession session = session(store);
            answer.set(FakeAgent.http(404, INDEX, ""));
            Observation vacant = read(store);
            for (String unknown : new String[] {
                FakeAgent.http(500, "", "leadership lost while committing log"),
                FakeAgent.http(200, "", "<html>"),
                FakeAgent.http(200, "", "{\"Results\":[],\"Errors\":null}"),
                FakeAgent.http(200, "", "{\"Results\":null,\"Errors\":[{\"OpIndex\":0,\"What\":\"x\"}]}"),
                FakeAgent.http(409, "", "{\"Results\":null,\"Errors\":null}"),
                FakeAgent.http(409, "", ""),
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"Results\":",
                ""
            }) {
                answer.set(unknown);
                assertThat(catchThrowable(() -> acquire(store, vacant, session)))
                        .as("acquire answered with %s", unknown)
                        .isInstanceOf(StoreUnavailableException.class);
            }
            answer.set(FakeAgent.http(409, "", "{\"Results\":null,\"Errors\":[{\"OpIndex\":0,\"What\":\"exists\"}]}"));
            WriteOutcome outcome = acquire(store, vacant, session);
            assertThat(outcome).isInstanceOf(WriteOutcome.Refused.class);
            assertThat(((WriteOutcome.Refused) outcome).now())
                    .as("what stands there, which could not be read")
                    .isEmpty();
        });
    }

    private static WriteOutcome acquire(ElectionStore store, Observation vacant, StoreSession session) {
        var proposal = dev.mandate.spi.LeaderRecord.proposal(
                "c", StoreClient.id(), StoreClient.id(), "v", Duration.ofSeconds(10), 0);
        return StoreClient.answer(
                store.acquire(KEY, vacant, proposal, session, CallContext.within(Duration.ofSeconds(5))));
    }

    /** A write is sent once, whatever comes of it. */
    @Test
    void aWriteIsSentOnce() throws Exception {
        with(FakeAgent.http(200, "", "{\"ID\":\"" + SESSION + "\"}"), (store, agent) -> {
            StoreSession session = session(store);
            answer.set(FakeAgent.http(404, INDEX, ""));
            Observation vacant = read(store);
            answer.set("");
            assertThat(catchThrowable(() -> acquire(store, vacant, session))).isNotNull();

            assertThat(agent.requests().stream().filter(request -> request.startsWith("PUT /v1/txn")))
                    .hasSize(1);
        });
    }

    /** Only Consul says that a session is gone. */
    @Test
    void aSessionIsGoneOnlyIfItIsNamed() throws Exception {
        with(FakeAgent.http(200, "", "{\"ID\":\"" + SESSION + "\"}"), (store, agent) -> {
            StoreSession session = session(store);
            for (String unknown : new String[] {
                FakeAgent.http(404, "", "<html>no such page</html>"),
                FakeAgent.http(200, "", "<html>welcome</html>"),
                FakeAgent.http(200, "", "null"),
                FakeAgent.http(500, "", "No cluster leader")
            }) {
                answer.set(unknown);
                assertThat(catchThrowable(() -> StoreClient.answer(session.renew(StoreClient.call()))))
                        .as("renewal answered with %s", unknown)
                        .isInstanceOf(StoreUnavailableException.class);
            }
            answer.set(FakeAgent.http(404, "", "Session id '" + SESSION + "' not found"));
            assertThat(StoreClient.answer(session.renew(StoreClient.call()))).isInstanceOf(SessionRenewal.Gone.class);
            answer.set(FakeAgent.http(200, "", "[{\"ID\":\"" + SESSION + "\",\"TTL\":\"10s\"}]"));
            assertThat(StoreClient.answer(session.renew(StoreClient.call())))
                    .isInstanceOf(SessionRenewal.Renewed.class);
        });
    }

    @Test
    void nobodyListensAndNobodyKnowsTheHost() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (ElectionStore nobody = ConsulServer.open(port, "");
                ElectionStore unknown = new ConsulStoreProvider().open(StoreUrl.parse("consul://nosuch.invalid"))) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> read(nobody))
                    .withMessageContaining("connection refused");
            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> read(unknown));
        }
    }

    /** In a header, from a file; never in a URL, a message or the text form. */
    @Test
    void theTokenGoesIntoAHeaderAndNowhereElse() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "canary-7f3a\n");
        try (FakeAgent agent = new FakeAgent(request -> FakeAgent.http(403, "", "Permission denied"));
                ElectionStore store = ConsulServer.open(agent.port(), "tokenFile=" + file)) {
            Throwable failure = catchThrowable(() -> read(store));

            assertThat(agent.requests().get(0)).containsIgnoringCase("X-Consul-Token: canary-7f3a");
            assertThat(agent.requests().get(0).lines().findFirst().orElseThrow())
                    .doesNotContain("canary");
            assertThat(failure.toString() + store).doesNotContain("canary");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "two words", "br\u0001ken"})
    void aTokenThatIsNoneIsRefusedAtOnce(String token) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), token);
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> ConsulServer.open(1, "tokenFile=" + file))
                .withMessageContaining("token");
    }

    /** Both numbers are named before anything is asked for. */
    @Test
    void aLeaseThatConsulDoesNotGrantIsRefused() throws Exception {
        with(
                FakeAgent.http(404, INDEX, ""),
                (store, agent) -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> ElectionClient.connect(ConsulServer.url(agent.port(), "lease=9s"))
                                .close())
                        .withMessageContainingAll("9s", "10s", "Consul"));
    }

    /** Consul's log may begin anew: then the present state is asked for, and told if it differs. */
    @Test
    void anIndexThatGoesBackwardsIsForgotten() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (FakeAgent agent = new FakeAgent(request -> {
                    int number = asked.incrementAndGet();
                    int index = number == 1 ? 100 : 5;
                    if (number > 3) {
                        Await.passing(Duration.ofMillis(300));
                    }
                    return FakeAgent.http(
                            200,
                            "X-Consul-Index: " + index + "\r\n",
                            "[{\"Key\":\"service/jobs/leader\",\"Value\":null,\"ModifyIndex\":" + index + "}]");
                });
                ElectionStore store = ConsulServer.open(agent.port(), "")) {
            store.read(KEY, StoreClient.call()).toCompletableFuture().join();
            asked.set(0);
            Queue<Hint> hints = new ConcurrentLinkedQueue<>();
            try (Subscription watch = store.watch(RecordKey.elections(), hints::add)) {
                Await.until("four questions", PATIENCE, () -> asked.get() >= 4);

                assertThat(watch).isNotNull();
                assertThat(hints)
                        .extracting(hint -> ((Hint.Seen) hint).observation().basis())
                        .containsExactly(new FreeAt(100), new FreeAt(5));
                assertThat(agent.requests().get(1)).doesNotContain("index=");
                assertThat(agent.requests().get(2)).contains("index=100");
                assertThat(agent.requests().get(3)).doesNotContain("index=");
                assertThat(agent.requests().get(4)).contains("index=5", "wait=60s");
            }
        }
    }

    /** A watch that is refused asks ever more seldom, and never gives up. */
    @Test
    void aWatchThatFailsDoesNotSpin() throws Exception {
        with(FakeAgent.http(500, "", "No cluster leader"), (store, agent) -> {
            try (Subscription watch = store.watch(RecordKey.elections(), hint -> {})) {
                assertThat(watch).isNotNull();
                Await.passing(Duration.ofSeconds(2));

                assertThat(agent.requests()).hasSizeBetween(2, 8);
            }
        });
    }
}
