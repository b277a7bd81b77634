package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import io.nats.client.api.ServerInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Buckets that can't be used, and clusters while they are updated: who is connected to and who leads the bucket are of
 * two versions.
 */
class BucketCheckTest {
    private static final String TS = ",\"ts\":\"2026-01-01T00:00:00Z\"";

    private static Bucket examined(String version, int replicas, String metadata, String rest) {
        String answer = "{\"type\":\"io.nats.jetstream.api.v1.stream_info_response\",\"created\":\"x\",\"config\":{"
                + "\"retention\":\"limits\",\"storage\":\"file\",\"max_msgs_per_subject\":1,\"max_age\":10000000000,"
                + "\"max_msgs\":-1,\"max_bytes\":-1,\"max_msg_size\":-1,\"num_replicas\":" + replicas + metadata + "}"
                + rest + "}";
        NatsSettings settings = NatsUrl.settings(StoreUrl.parse("nats://127.0.0.1:4222"));
        BucketCheck.Server server = new BucketCheck.Server() {
            @Override
            public ServerInfo serverInfo() {
                return new ServerInfo("{\"version\":\"" + version
                        + "\",\"cluster\":\"c\",\"jetstream\":true,\"max_payload\":1048576}");
            }

            @Override
            public Json ask(String what, String verb, String body) {
                return Json.read(answer.getBytes(StandardCharsets.UTF_8));
            }
        };
        return new BucketCheck(settings, server, 0, add -> null).examined().bucket();
    }

    private static String leader(String version) {
        return ",\"metadata\":{\"_nats.ver\":\"" + version + "\"}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.9.25", "2.10.0", "2.10.26", "2.10.26-RC.1"})
    void serversThatLetSeveralWinKeepNoReplicas(String version) {
        String ts = version.startsWith("2.9") ? "" : TS;
        assertThat(examined(version, 1, "", ts).replicas()).isEqualTo(1);
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> examined(version, 3, "", ts))
                .withMessageContainingAll("3 replicas", version, "2.10.27");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.10.27", "2.10.29-RC.1", "2.11.0", "2.15.1", "3.0"})
    void thoseThatDoNotMay(String version) {
        assertThat(examined(version, 3, "", TS).replicas()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"2.15.1, 2.10.26", "2.11.0, 2.9.25"})
    void theLeaderOfTheBucketCountsToo(String version, String leader) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> examined(version, 3, leader(leader), TS))
                .withMessageContainingAll("3 replicas", leader);
        assertThat(examined(version, 3, leader(version), TS).replicas()).isEqualTo(3);
    }

    /** Later ones know keys' own times to live, but let keys live on. */
    @ParameterizedTest
    @CsvSource({
        "2.10.29, BUCKET",
        "2.11.0, BUCKET",
        "2.11.9, BUCKET",
        "2.11.10, KEY",
        "2.12.0, BUCKET",
        "2.12.1, KEY",
        "2.13.0, KEY",
        "2.15.1, KEY"
    })
    void aKeysOwnTimeToLiveIsUsedWhereItEnds(String version, Expiring expiring) {
        String admitted = ",\"allow_msg_ttl\":true";
        assertThat(examined(version, 1, admitted, TS).expiring()).isEqualTo(expiring);
        assertThat(examined("2.15.1", 1, admitted + leader(version), TS).expiring())
                .isEqualTo(expiring);
    }

    @ParameterizedTest
    @CsvSource({"2.11.0, false", "2.11.6, false", "2.11.7, true", "2.11.10, true", "2.12.0, true", "2.15.1, true"})
    void markersThatMayEraseARecordAreRefused(String version, boolean isAdmitted) {
        String markers = ",\"allow_msg_ttl\":true,\"subject_delete_marker_ttl\":60000000000";
        if (isAdmitted) {
            assertThat(examined(version, 1, markers, TS).ttl()).isPositive();
        } else {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> examined(version, 1, markers, TS))
                    .withMessageContainingAll("limit markers", version, "erase", "--marker-ttl");
        }
    }

    @Test
    void aLeaderThatDoesNotTellTheTimeIsTooOld() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> examined("2.10.29", 3, "", ""))
                .withMessageContainingAll("3 replicas", "2.9");
    }

    @Test
    void aBucketThatConfirmsNothingIsRefused() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> examined("2.15.1", 1, ",\"no_ack\":true", TS))
                .withMessageContaining("no_ack");
    }

    @Test
    void aKeyIsCountedOnForNoLongerThanTheWholeSecondsItLives() {
        Bucket bucket = new Bucket(
                ServerVersion.of("2.15.1"),
                false,
                Expiring.KEY,
                Duration.ofMillis(10_500),
                Duration.ofMinutes(1),
                1,
                false,
                1_024,
                "x",
                "");
        Duration lease = Duration.ofMillis(10_500);
        assertThat(bucket.lifetime(lease)).isEqualTo(Duration.ofSeconds(10));
        assertThat(bucket.granted(lease, Duration.ZERO)).isEqualTo(Duration.ofSeconds(10));
        assertThat(bucket.granted(lease, null)).isEqualTo(Duration.ofMillis(9_500));
    }
}
