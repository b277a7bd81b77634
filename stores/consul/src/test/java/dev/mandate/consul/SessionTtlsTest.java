package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.ForeignLeases;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTtlsTest {
    @ParameterizedTest
    @CsvSource({"10s,10000", "1m30s,90000", "1.5h,5400000", "10000ms,10000", "24h0m0s,86400000"})
    void durationsOfGoAreRead(String text, long millis) {
        assertThat(SessionTtls.parsed(text)).contains(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0s", "10", "s", "ten seconds", "-10s", "10s ", "10sx", "1e9s"})
    void anythingElseIsNotKnown(String text) {
        assertThat(SessionTtls.parsed(text)).isEmpty();
    }

    @Test
    void whatIsTooLongIsNotKnown() {
        assertThat(SessionTtls.parsed("1s".repeat(100))).isEmpty();
    }

    @Test
    void theLongestTextIsStillRead() {
        assertThat(SessionTtls.parsed("1s".repeat(20))).contains(Duration.ofSeconds(20));
        assertThat(SessionTtls.parsed("1s".repeat(20) + "1s")).isEmpty();
    }

    private interface Try {
        void run(ForeignLeases leases, FakeAgent agent) throws Exception;
    }

    private final AtomicReference<String> said = new AtomicReference<>();

    private void with(String answer, Try test) throws Exception {
        said.set(answer);
        try (FakeAgent agent = new FakeAgent(request -> said.get());
                ConsulHttp http =
                        new ConsulHttp(ConsulUrl.settings(StoreUrl.parse(ConsulServer.url(agent.port(), ""))))) {
            test.run(SessionTtls.of(http), agent);
        }
    }

    private static String session(int number) {
        return new UUID(0, number).toString();
    }

    private static Optional<Duration> of(ForeignLeases leases, String session) {
        return leases.of(session, CallContext.within(Duration.ofSeconds(20)))
                .toCompletableFuture()
                .join();
    }

    private static String ttl(String text) {
        return FakeAgent.http(200, "", "[{\"ID\":\"x\",\"TTL\":\"" + text + "\"}]");
    }

    @Test
    void aSessionIsAskedForOnce() throws Exception {
        with(ttl("30s"), (leases, agent) -> {
            assertThat(leases.known(session(1))).isEmpty();
            assertThat(of(leases, session(1))).contains(Duration.ofSeconds(30));

            said.set(ttl("40s"));

            assertThat(of(leases, session(1))).contains(Duration.ofSeconds(30));
            assertThat(leases.known(session(1))).contains(Duration.ofSeconds(30));
            assertThat(leases.known(session(2))).isEmpty();
            assertThat(agent.requests()).hasSize(1);
            assertThat(agent.requests().get(0)).startsWith("GET /v1/session/info/" + session(1));
        });
    }

    /** What a token may not look at stays so; a server without a leader does not. */
    @Test
    void aServerThatFailsIsAskedAgainAndARefusalIsNot() throws Exception {
        with(FakeAgent.http(500, "", "No cluster leader"), (leases, agent) -> {
            assertThat(of(leases, session(1))).isEmpty();
            said.set(ttl("30s"));
            assertThat(of(leases, session(1))).contains(Duration.ofSeconds(30));
        });
        with(FakeAgent.http(403, "", "Permission denied"), (leases, agent) -> {
            assertThat(of(leases, session(1))).isEmpty();
            said.set(ttl("30s"));
            assertThat(of(leases, session(1))).isEmpty();
            assertThat(agent.requests()).hasSize(1);
        });
    }

    @Test
    void whatNamesNoLeaseIsNotKnown() throws Exception {
        for (String answer : new String[] {"<html>", "[]", "[{\"ID\":\"x\"}]", "[{\"TTL\":\"\"}]"}) {
            with(
                    FakeAgent.http(200, "", answer),
                    (leases, agent) ->
                            assertThat(of(leases, session(1))).as(answer).isEmpty());
        }
    }

    /** It would become part of a path. */
    @Test
    void whatIsNoIdIsNotAskedFor() throws Exception {
        with(ttl("30s"), (leases, agent) -> {
            for (String odd : new String[] {
                "", "x", "../../kv/x", session(1) + "0", session(1).replace('-', '/')
            }) {
                assertThat(of(leases, odd)).as(odd).isEmpty();
            }
            assertThat(agent.requests()).isEmpty();
        });
    }
}
