package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import io.nats.client.api.ServerInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client makes of a bucket that is not the one it knew, or that is gone. */
class KnownBucketTest {
    private static final Instant MADE = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant SEEN = MADE.plusSeconds(100);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String NONE = "{\"error\":{\"code\":404,\"err_code\":10059,\"description\":\"not found\"}}";

    /** Servers that say what a test tells them to. */
    private static final class Servers implements BucketCheck.Server {
        String version = "2.15.1";
        String cluster = "blue";
        String info = info(MADE, SEEN, 7, "", 10_000);
        int made;

        @Override
        public ServerInfo serverInfo() {
            return new ServerInfo("{\"version\":\"" + version + "\",\"cluster\":\"" + cluster
                    + "\",\"jetstream\":true,\"max_payload\":1048576}");
        }

        @Override
        public Json ask(String what, String verb, String body) {
            if (verb.startsWith("STREAM.CREATE")) {
                made++;
                info = info(SEEN.plusSeconds(60), SEEN.plusSeconds(60), 1_000, "", 10_000);
            }
            return Json.read(info.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String info(Instant created, Instant now, long newest, String domain, int ttlMillis) {
        return "{\"type\":\"io.nats.jetstream.api.v1.stream_info_response\",\"created\":\"" + created + "\","
                + "\"domain\":\"" + domain + "\",\"ts\":\"" + now + "\",\"state\":{\"last_seq\":" + newest + "},"
                + "\"config\":{\"retention\":\"limits\",\"storage\":\"file\",\"max_msgs_per_subject\":1,\"num_replicas\":1,"
                + "\"max_msgs\":-1,\"max_bytes\":-1,\"max_msg_size\":-1,\"max_age\":" + ttlMillis + "000000}}";
    }

    private final Servers servers = new Servers();
    private final KnownBucket known = known("");

    private static KnownBucket known(String parameters) {
        return new KnownBucket(NatsUrl.settings(StoreUrl.parse("nats://127.0.0.1:4222" + parameters)));
    }

    private void refused(String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> known.look(servers))
                .withMessageContainingAll(words);
    }

    @Test
    void theSameOneIsKnownByWhenItWasMade() {
        assertThat(known.look(servers).newest()).isEqualTo(7);
        servers.info = info(MADE, SEEN.plusSeconds(5), 9, "", 10_000);
        servers.cluster = "green";
        assertThat(known.look(servers).newest()).isEqualTo(9);
        assertThat(known.newest()).isEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource({"-86400, true", "90, true", "98, true", "99, false", "101, false", "1000, false"})
    void oneThatWasMadeWhileTheFirstWasThereIsNotItsSuccessor(int secondsAfterFirst, boolean isRefused) {
        known.look(servers);
        servers.info = info(MADE.plusSeconds(secondsAfterFirst), SEEN.plusSeconds(2_000), 1_000, "", 10_000);
        if (isRefused) {
            refused("two buckets of this name", "made at " + MADE, "while the first was still there");
            refused("two buckets of this name");
            servers.info = info(MADE, SEEN.plusSeconds(5), 9, "", 10_000);
        }
        assertThat(known.look(servers).unfit()).isNull();
    }

    @Test
    void norIsOneOfAnotherDomainHoweverNew() {
        servers.info = info(MADE, SEEN, 7, "hub", 10_000);
        known.look(servers);
        servers.info = info(SEEN.plusSeconds(60), SEEN.plusSeconds(61), 1_000, "leaf", 10_000);
        refused("two buckets of this name", "domain 'hub'", "domain 'leaf'");
    }

    /** Whoever saw none there may have made it, while the former goes on where this client can't see it. */
    @Test
    void norIsOneOfAnotherClusterHoweverNew() {
        known.look(servers);
        servers.cluster = "green";
        servers.info = info(SEEN.plusSeconds(60), SEEN.plusSeconds(61), 1_000, "", 10_000);
        refused("two buckets of this name", "the cluster 'blue'", "the cluster 'green'", "restart those");
        servers.cluster = "blue";
        assertThat(known.look(servers).newest()).isEqualTo(1_000);
    }

    /** Before 2.10 only the newest message has a time. */
    @Test
    void serversThatDoNotSayTheTimeAreBelievedByTheirNewestMessage() {
        servers.info = info(MADE, SEEN, 7, "", 10_000)
                .replace("\"ts\":\"" + SEEN + "\",", "")
                .replace("\"last_seq\":7", "\"last_seq\":7,\"last_ts\":\"" + SEEN + "\"");
        known.look(servers);
        servers.info = info(MADE.plusSeconds(50), SEEN, 1_000, "", 10_000);
        refused("while the first was still there");
    }

    @Test
    void revisionsOfASuccessorThatWentBackAreRefused() {
        known.look(servers);
        known.saw(5_000);
        servers.info = info(SEEN.plusSeconds(9), SEEN.plusSeconds(9), 4_999, "", 10_000);
        refused("went back from 5000 to 4999", "--seq=");
        servers.info = info(SEEN.plusSeconds(9), SEEN.plusSeconds(9), 5_000, "", 10_000);
        assertThat(known.look(servers).newest()).isEqualTo(5_000);
    }

    @Test
    void revisionsOfTheSameOneThatWentBackAreTaken() {
        known.look(servers);
        known.saw(5_000);
        servers.info = info(MADE, SEEN.plusSeconds(9), 4_999, "", 10_000);
        known.look(servers);
        assertThat(known.newest()).isEqualTo(4_999);
        known.saw(4_000);
        assertThat(known.newest()).isEqualTo(4_999);
    }

    @Test
    void oneThatIsGoneIsMadeAgainAfterItsLongestTimeToLive() {
        servers.info = info(MADE, SEEN, 7, "", 400);
        known.look(servers);
        servers.info = info(MADE, SEEN, 7, "", 200);
        known.look(servers);
        servers.info = NONE;
        long gone = System.nanoTime();
        refused("no such bucket any more", "made again after 400 ms");
        assertThat(known.isAwaited()).isTrue();
        Await.until("the bucket to be made again", PATIENCE, () -> {
            try {
                return known.look(servers).newest() == 1_000;
            } catch (StoreSetupException e) {
                return false;
            }
        });
        assertThat(Duration.ofNanos(System.nanoTime() - gone)).isGreaterThanOrEqualTo(Duration.ofMillis(400));
        assertThat(servers.made).isEqualTo(1);
        assertThat(known.isAwaited()).isFalse();
    }

    @Test
    void noneIsMadeOnServersOfAnotherCluster() {
        servers.info = info(MADE, SEEN, 7, "", 50);
        known.look(servers);
        servers.info = NONE;
        servers.cluster = "";
        long start = System.nanoTime();
        Await.until("the time to be over", PATIENCE, () -> {
            refused("one of the cluster 'blue'", "a server of no cluster", "name servers of one cluster");
            return System.nanoTime() - start > Duration.ofMillis(300).toNanos();
        });
        assertThat(known.isAwaited()).isFalse();
        assertThat(servers.made).isZero();
    }

    @Test
    void noneIsMadeWhereTheUrlForbidsIt() {
        KnownBucket looking = known("?create=false");
        looking.look(servers);
        servers.info = NONE;
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> looking.look(servers))
                .withMessageContainingAll("then make it: nats kv add", "--seq=");
        assertThat(looking.isAwaited()).isFalse();
        assertThat(servers.made).isZero();
    }

    @Test
    void onServersThatCanNotChooseRevisionsNobodyMakesItAgain() {
        servers.version = "2.9.10";
        known.look(servers);
        servers.info = NONE;
        refused("wait: for 10000 ms", "then make it");
        assertThat(known.isAwaited()).isFalse();
    }

    @Test
    void lookingElsewhereForAWhileStartsTheWaitAnew() {
        servers.info = info(MADE, SEEN, 7, "", 10_000);
        known.look(servers);
        servers.info = NONE;
        refused("no such bucket any more");
        assertThat(known.isAwaited()).isTrue();
        known.lostSight();
        assertThat(known.isAwaited()).isFalse();
    }

    /** Somebody may have led in it meanwhile. */
    @Test
    void findingOneThatIsRefusedStartsTheWaitAnew() {
        known.look(servers);
        servers.info = NONE;
        refused("no such bucket any more");
        assertThat(known.isAwaited()).isTrue();
        servers.info = info(MADE, SEEN, 7, "", 10_000).replace("\"limits\"", "\"workqueue\"");
        refused("retention");
        assertThat(known.isAwaited()).isFalse();
    }

    @Test
    void aFirstBucketThatIsMissingIsMadeAtOnce() {
        servers.info = NONE;
        assertThat(known.look(servers).newest()).isEqualTo(1_000);
        assertThat(servers.made).isEqualTo(1);
    }

    @Test
    void aFirstBucketThatDoesNotFitTheLeaseIsRefusedAndALaterOneSaysWhy() {
        KnownBucket strict = new KnownBucket(
                NatsUrl.settings(StoreUrl.parse("nats://127.0.0.1:4222").withLease(Duration.ofSeconds(10))));
        servers.info = info(MADE, SEEN, 7, "", 5_000);
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> strict.look(servers))
                .withMessageContaining("live for 5s");
        servers.info = info(MADE, SEEN, 7, "", 10_000);
        assertThat(strict.look(servers).unfit()).isNull();
        servers.info = info(MADE, SEEN, 7, "", 5_000);
        assertThat(strict.look(servers).unfit()).hasMessageContaining("live for 5s");
    }
}
