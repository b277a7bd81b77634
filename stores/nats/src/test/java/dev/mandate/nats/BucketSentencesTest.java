package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.StoreUrl;
import io.nats.client.api.ServerInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is said of a bucket, and how long a lease may be counted on. */
class BucketSentencesTest {
    private static final String GOOD = "\"max_msgs_per_subject\":1,\"max_age\":60000000000,\"storage\":\"file\","
            + "\"retention\":\"limits\",\"discard\":\"new\",\"num_replicas\":1,\"max_msg_size\":-1";

    private final Map<String, String> answers = new HashMap<>();
    private String version = "2.15.1";
    private boolean hasJetStream = true;
    private long maxPayload = 1 << 20;

    private final BucketCheck.Server server = new BucketCheck.Server() {
        @Override
        public ServerInfo serverInfo() {
            return new ServerInfo("{\"version\":\"" + version + "\",\"jetstream\":" + hasJetStream + ",\"max_payload\":"
                    + maxPayload + "}");
        }

        @Override
        public @Nullable Json ask(String what, String verb, String body) {
            String answer = answers.get(verb.substring(0, verb.lastIndexOf('.')));
            return answer == null ? null : Json.read(answer.getBytes(StandardCharsets.UTF_8));
        }
    };

    private BucketCheck.Found found(String parameters, @Nullable Duration lease) {
        StoreUrl url = StoreUrl.parse("nats://h/B" + parameters);
        NatsSettings settings = NatsUrl.settings(lease == null ? url : url.withLease(lease));
        return new BucketCheck(settings, server, 0, add -> settings.wanted().create() ? null : "make it: " + add)
                .examined();
    }

    private Bucket examined(String parameters, @Nullable Duration lease) {
        BucketCheck.Found found = found(parameters, lease);
        if (found.unfit() != null) {
            throw found.unfit();
        }
        return found.bucket();
    }

    private void is(String config) {
        answers.put("STREAM.INFO", "{\"config\":{" + config + "},\"created\":\"x\"}");
    }

    private void refused(String parameters, @Nullable Duration lease, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> examined(parameters, lease))
                .withMessageContainingAll(words)
                .withMessageStartingWith("NATS h:4222, bucket B: ");
    }

    @Test
    void aBucketOfTheRecipeGoesWithItsLeaseAlone() {
        is(GOOD);
        Bucket bucket = examined("", Duration.ofMinutes(1));
        assertThat(bucket.expiring()).isEqualTo(Expiring.BUCKET);
        assertThat(bucket.lifetime(Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
        assertThat(bucket.granted(Duration.ofMinutes(1), null)).isEqualTo(Duration.ofMillis(59_500));
        assertThat(bucket.tellsOfExpiry()).isFalse();
        refused("", Duration.ofSeconds(10), "60s", "10s", "lease=60s", "--max-age=10s", "--allow-msg-ttl");
        version = "2.9.10";
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> examined("", Duration.ofSeconds(10)))
                .withMessageNotContaining("--allow-msg-ttl");
        refused("?expiring=key", null, "2.9.10", "2.11");
    }

    /** Who leads keeps what is there for as long as it lives. */
    @Test
    void aTimeToLiveThatIsTooShortForTheLeaseIsCountedOnForNoLonger() {
        is(GOOD.replace("60000000000", "4000000000") + ",\"allow_msg_ttl\":true");
        Duration lease = Duration.ofSeconds(10);
        BucketCheck.Found found = found("", lease);
        assertThat(found.unfit()).hasMessageContaining("live for 4s");
        assertThat(found.bucket().granted(lease, null)).isEqualTo(Duration.ofMillis(3_600));
        assertThat(found.bucket().granted(lease, Duration.ofSeconds(5))).isZero();
        is(GOOD.replace("60000000000", "500000000") + ",\"allow_msg_ttl\":true");
        found = found("", lease);
        assertThat(found.bucket().granted(lease, null)).isZero();
        assertThat(found.bucket().own(lease)).isEqualTo(Duration.ofSeconds(1));
        is(GOOD);
        found = found("", lease.multipliedBy(10));
        assertThat(found.bucket().granted(lease.multipliedBy(10), null)).isEqualTo(Duration.ofMillis(59_500));
        assertThat(found.bucket().own(lease)).isNull();
    }

    @Test
    void aKeysOwnTimeToLiveIsInWholeSecondsAndBelowThatOfTheBucket() {
        is(GOOD + ",\"allow_msg_ttl\":true,\"subject_delete_marker_ttl\":60000000000");
        Bucket bucket = examined("", Duration.ofSeconds(10));
        assertThat(bucket.expiring()).isEqualTo(Expiring.KEY);
        assertThat(bucket.tellsOfExpiry()).isTrue();
        assertThat(bucket.lifetime(Duration.ofMillis(2_500))).isEqualTo(Duration.ofSeconds(3));
        assertThat(bucket.granted(Duration.ofMillis(2_500), null)).isEqualTo(Duration.ofMillis(2_500));
        assertThat(bucket.granted(Duration.ofSeconds(3), null)).isEqualTo(Duration.ofMillis(2_700));
        assertThat(bucket.granted(Duration.ofSeconds(10), Duration.ofSeconds(1)))
                .isEqualTo(Duration.ofSeconds(9));
        refused("", Duration.ofMinutes(2), "60s", "120s", "--max-age=240s");
        refused("?clockStep=6s", Duration.ofSeconds(10), "clockStep is 6000ms", "10s");
        assertThat(examined("?expiring=bucket", Duration.ofMinutes(1)).expiring())
                .isEqualTo(Expiring.BUCKET);
    }

    @Test
    void clocksMayBeSetForwardByHalfOfTheLeaseAtMost() {
        is(GOOD.replace("60000000000", "10000000000"));
        Duration lease = Duration.ofSeconds(10);
        refused("?clockStep=5001ms", lease, "clockStep is 5001ms", "half of the lease of 10s");
        assertThat(examined("?clockStep=5s", lease).granted(lease, Duration.ofSeconds(5)))
                .isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void whatCouldLoseALeaderIsRefused() {
        is(GOOD.replace("subject\":1", "subject\":64"));
        refused("", null, "64 revisions", "--max-msgs-per-subject=1");
        is(GOOD.replace("60000000000", "0"));
        refused("", null, "live for ever", "--max-age");
        is(GOOD.replace("\"file\"", "\"memory\""));
        refused("", null, "in memory", "storage=memory");
        assertThat(examined("?storage=memory", null).inMemory()).isTrue();
        is(GOOD.replace("\"new\"", "\"old\"") + ",\"max_bytes\":1000");
        refused("", null, "forgets the oldest", "--discard=new");
        is(GOOD + ",\"mirror\":{\"name\":\"x\"}");
        refused("", null, "mirror or has sources");
        is(GOOD + ",\"sealed\":true");
        refused("", null, "sealed");
        is(GOOD + ",\"persist_mode\":\"async\"");
        refused("", null, "persist_mode async");
        is(GOOD.replace("size\":-1", "size\":2000"));
        refused("", null, "2000 bytes");
        is(GOOD);
        refused("?replicas=3", null, "1 replicas", "--replicas=3");
        maxPayload = 64 * 1024;
        assertThat(examined("", null).valueBytesMax()).isBetween(8 * 1024, 11 * 1024);
    }

    @Test
    void replicasThatAreMixedUpAreRefused() {
        is(GOOD.replace("replicas\":1", "replicas\":3"));
        version = "2.9.25";
        refused("", null, "3 replicas", "2.9.25", "2.10.27");
        version = "2.10.27";
        assertThat(examined("", null).replicas()).isEqualTo(3);
        for (String unknown : new String[] {"", "1.4.1", "2.8.9", "two"}) {
            version = unknown;
            refused("", null, "'" + unknown + "'", "2.9 or newer");
        }
    }

    @Test
    void whoDoesNotAnswerIsToldApart() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> examined("", null))
                .withMessageContaining("no leader");
        hasJetStream = false;
        refused("", null, "no JetStream", "-js");
        answers.put(
                "STREAM.INFO", "{\"error\":{\"code\":404,\"err_code\":10059,\"description\":\"stream not found\"}}");
        refused("?create=false&ttl=31s&expiring=bucket", null, "nats kv add B --ttl=31s --replicas=1");
        answers.put(
                "STREAM.CREATE",
                "{\"error\":{\"code\":400,\"err_code\":10074,\"description\":\"replicas > 1 not supported\"}}");
        refused("?replicas=3", null, "keeps no replicas");
        answers.put(
                "STREAM.CREATE",
                "{\"error\":{\"err_code\":10005,\"description\":\"no suitable peers for placement, tags not matched\"}}");
        refused("?replicas=3", null, "no room for it", "tags not matched");
        answers.put("STREAM.INFO", "{\"error\":{\"code\":503,\"err_code\":10039,\"description\":\"not enabled\"}}");
        refused("", null, "JetStream is not enabled", "not enabled");
    }
}
