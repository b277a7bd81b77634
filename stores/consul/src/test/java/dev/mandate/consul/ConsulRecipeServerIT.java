package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Candidates and readers that follow Consul's guide to leader election, on one key with candidates of Mandate. */
class ConsulRecipeServerIT {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String election =
            "guide" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
    private final String key = "service/" + election + "/leader";

    private ElectionClient mandate(String parameters) {
        return ElectionClient.connect(
                ConsulServer.url(CONSUL.server().port("http"), "lease=10s&lock-delay=0s&" + parameters));
    }

    private GuideCandidate guide(String body) throws Exception {
        return new GuideCandidate(CONSUL.server(), key, body);
    }

    /**
     * Whoever leads by the guide keeps Mandate out, is shown, and is followed when it steps down; and the other way
     * round.
     */
    @ParameterizedTest
    @ValueSource(strings = {"format=json", "format=raw"})
    void theyExcludeEachOtherInTurns(String format) throws Exception {
        try (ElectionClient client = mandate(format + "&settleTime=1s");
                GuideCandidate guide = guide("{\"node\":\"old-1\",\"port\":8080}")) {
            assertThat(guide.acquire()).isTrue();

            assertThat(client.election(election).campaign("new-1", Duration.ofSeconds(3)))
                    .isEmpty();
            Leader foreign = Await.value(
                    "the leader by the guide",
                    PATIENCE,
                    () -> client.election(election).view().leader());
            assertThat(foreign.foreign()).isTrue();
            assertThat(foreign.lease()).as("the TTL of its session").isEqualTo(Duration.ofSeconds(30));
            assertThat(foreign.candidate()).isEqualTo("{\"node\":\"old-1\",\"port\":8080}");
            assertThat(guide.leads()).as("the old candidate was left alone").isTrue();

            guide.release();
            try (Leadership term = client.election(election).campaign("new-1")) {
                assertThat(guide.acquire()).as("the old candidate gets in").isFalse();
                assertThat(guide.leads()).isFalse();
                assertThat(term.isValid()).isTrue();
            }

            Await.until("the old candidate to lead again", PATIENCE, guide::acquire);
            assertThat(client.election(election).status().state()).isNotEqualTo(CandidacyStatus.State.LEADING);
        }
    }

    /** Readers of the guide find the leader's value itself where it is written raw, and nobody after its end. */
    @Test
    void aDiscoveringClientReadsTheRawValue() throws Exception {
        String body = "{\"node\":\"new-1\",\"port\":8080}";
        try (ElectionClient client = mandate("format=raw");
                GuideReader reader = new GuideReader(CONSUL.server(), key)) {
            assertThat(reader.leader()).isEmpty();
            try (Leadership term = client.election(election).campaign(body)) {
                Await.until(
                        "the reader to see the value",
                        PATIENCE,
                        () -> reader.leader().filter(body::equals).isPresent());
                term.proclaim("{\"node\":\"new-1\",\"port\":9090}");
                Await.until(
                        "the reader to see the new value",
                        PATIENCE,
                        () -> reader.leader()
                                .filter(seen -> seen.contains("9090"))
                                .isPresent());
                assertThat(term.isValid()).isTrue();
            }
            Await.until(
                    "the reader to see that nobody leads",
                    PATIENCE,
                    () -> reader.leader().isEmpty());
        }
    }

    /** A candidate of the guide waits for a blank session, which a leader of Mandate leaves behind at once. */
    @Test
    void aCandidateOfTheGuideTakesOverAfterARelease() throws Exception {
        try (ElectionClient client = mandate("format=raw");
                GuideCandidate guide = guide("old-1")) {
            Leadership term = client.election(election).campaign("new-1");
            Thread waiting = new Thread(guide::campaign, "guide");
            waiting.start();
            assertThat(guide.leads()).isFalse();

            term.close();

            Await.until("the candidate of the guide to lead", PATIENCE, guide::leads);
            assertThat(term.isValid()).isFalse();
            waiting.join(PATIENCE.toMillis());
        }
    }

    /** A leave flag is written to both keys, so that the record still counts. */
    @Test
    void anEvictionReachesALeaderWithARawValue() throws Exception {
        try (ElectionClient client = mandate("format=raw");
                ElectionClient operator = mandate("format=raw")) {
            Leadership term = client.election(election).campaign("same");

            operator.election(election).evict();

            Await.until("the leader to leave", PATIENCE, () -> !term.isValid());
            term.close();
        }
    }
}
