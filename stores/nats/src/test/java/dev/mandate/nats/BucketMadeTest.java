package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import io.nats.client.api.ServerInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a bucket is made like where there is none, and what is checked before. */
class BucketMadeTest {
    private static final String NONE = "{\"error\":{\"code\":404,\"err_code\":10059,\"description\":\"not found\"}}";
    private static final String REFUSED = "{\"error\":{\"err_code\":10058,\"description\":\"name in use\"}}";

    private final Servers servers = new Servers();

    /** A server that has none, and takes what it is told to make. */
    private static final class Servers implements BucketCheck.Server {
        final Queue<String> infos = new ArrayDeque<>(List.of(NONE));
        boolean refuses;
        String version = "2.15.1";

        @Nullable
        Json made;

        @Override
        public ServerInfo serverInfo() {
            return new ServerInfo("{\"version\":\"" + version + "\",\"jetstream\":true,\"max_payload\":1048576}");
        }

        @Override
        public Json ask(String what, String verb, String body) {
            if (verb.equals("STREAM.INFO.KV_B")) {
                return json(infos.remove());
            }
            assertThat(verb).isEqualTo("STREAM.CREATE.KV_B");
            made = json(body);
            return json(refuses ? REFUSED : info(body));
        }
    }

    private static Json json(String text) {
        return Json.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String info(String config) {
        return "{\"type\":\"io.nats.jetstream.api.v1.stream_create_response\",\"created\":\"x\",\"ts\":\"2026-01-01T00:00:00Z\","
                + "\"config\":" + config + "}";
    }

    private BucketCheck check(String parameters, @Nullable Duration lease, long newest) {
        StoreUrl url = StoreUrl.parse("nats://h/B" + parameters);
        NatsSettings settings = NatsUrl.settings(lease == null ? url : url.withLease(lease));
        return new BucketCheck(
                settings, servers, newest, add -> settings.wanted().create() ? null : "make it: " + add);
    }

    private Json made(String parameters, @Nullable Duration lease) {
        check(parameters, lease, 0).examined();
        return servers.made;
    }

    private void refused(String parameters, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> check(parameters, null, 0).examined())
                .withMessageContainingAll(words);
        assertThat(servers.made).isNull();
    }

    /** One revision of each key, on disk, and nothing that forgets a leader. */
    @Test
    void itKeepsWhoLeads() {
        Json config = made("?replicas=3", null);

        assertThat(config.text("name")).isEqualTo("KV_B");
        assertThat(config.size("subjects")).isEqualTo(1);
        assertThat(config.text("retention")).isEqualTo("limits");
        assertThat(config.text("storage")).isEqualTo("file");
        assertThat(config.text("discard")).isEqualTo("new");
        assertThat(config.number("num_replicas")).isEqualTo(3);
        assertThat(config.number("max_msgs_per_subject")).isEqualTo(1);
        assertThat(List.of("max_msgs", "max_bytes", "max_msg_size", "max_consumers"))
                .allMatch(limit -> config.number(limit) == -1);
        assertThat(List.of("allow_rollup_hdrs", "allow_direct", "deny_delete")).allMatch(config::flag);
    }

    @Test
    void itIsKeptInMemoryOrByOneServerWhereTheUrlSaysSo() {
        Json config = made("?storage=memory", null);

        assertThat(config.text("storage")).isEqualTo("memory");
        assertThat(config.number("num_replicas")).isEqualTo(1);
    }

    /** Twice the lease, at least ten minutes; that of the lease where it is the bucket's time to live that ends one. */
    @ParameterizedTest
    @CsvSource({
        "2.15.1, '', , 600, true",
        "2.15.1, '', 10, 600, true",
        "2.15.1, '', 300, 600, true",
        "2.15.1, '', 301, 602, true",
        "2.15.1, ?ttl=31s, 10, 31, true",
        "2.15.1, ?expiring=bucket, 15, 15, false",
        "2.11.10, '', 15, 600, true",
        "2.11.9, '', 15, 15, false",
        "2.10.29, '', , 10, false",
        "2.10.29, '', 15, 15, false",
        "2.9.25, '', 15, 15, false",
    })
    void itsKeysLiveForLongEnough(
            String version, String parameters, @Nullable Integer lease, int seconds, boolean haveTheirOwn) {
        servers.version = version;

        Json config = made(parameters, lease == null ? null : Duration.ofSeconds(lease));

        assertThat(config.duration("max_age")).isEqualTo(Duration.ofSeconds(seconds));
        assertThat(config.duration("duplicate_window")).isEqualTo(Duration.ofSeconds(Math.min(seconds, 120)));
        assertThat(config.flag("allow_msg_ttl")).isEqualTo(haveTheirOwn);
        assertThat(config.duration("subject_delete_marker_ttl")).isEqualTo(Duration.ofSeconds(haveTheirOwn ? 60 : 0));
    }

    // ---- revisions: they are fencing tokens ----

    @Test
    void itsRevisionsBeginWithTheTime() {
        Instant before = Instant.now().truncatedTo(ChronoUnit.MICROS);
        long first = made("", null).number("first_seq");
        Instant after = Instant.now();

        assertThat(Instant.EPOCH.plus(first, ChronoUnit.MICROS)).isBetween(before, after);
    }

    /** By a clock that was ahead. */
    @Test
    void itsRevisionsGoOnWhereTheFormerOnesWereLarger() {
        long newest = 1L << 60;

        check("", null, newest).examined();

        assertThat(servers.made.number("first_seq")).isEqualTo(newest + 1);
    }

    @Test
    void olderServersAreNotAskedForARevision() {
        servers.version = "2.9.25";

        assertThat(made("", null).has("first_seq")).isFalse();
    }

    // ---- what is checked before ----

    @Test
    void nothingIsMadeThatOlderServersWouldNotKeep() {
        servers.version = "2.10.26";
        refused("?expiring=key", "2.10.26", "may let it live on");
        servers.infos.add(NONE);
        refused("?replicas=3", "3 replicas", "2.10.26", "use one replica");

        servers.infos.add(NONE);
        assertThat(made("?replicas=1", null).number("num_replicas")).isEqualTo(1);
        servers.infos.add(NONE);
        servers.version = "2.10.27";
        assertThat(made("?replicas=2", null).number("num_replicas")).isEqualTo(2);
    }

    @Test
    void theCommandThatMakesItIsTheOneForItsServers() {
        refused("?create=false", "nats kv add B --ttl=600s --replicas=1 --marker-ttl=60s");
        servers.infos.add(NONE);
        servers.version = "2.10.29";

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> check("?create=false&replicas=5", null, 0).examined())
                .withMessageEndingWith("nats kv add B --ttl=10s --replicas=5");
    }

    @Test
    void theBucketOfWhoeverWasFirstIsTakenAsItIs() {
        servers.refuses = true;
        servers.infos.add(info("{\"max_msgs_per_subject\":1,\"max_age\":20000000000,\"storage\":\"file\","
                + "\"retention\":\"limits\",\"discard\":\"new\",\"num_replicas\":1}"));

        BucketCheck.Found found = check("", null, 0).examined();

        assertThat(found.bucket().ttl()).isEqualTo(Duration.ofSeconds(20));
        assertThat(found.bucket().expiring()).isEqualTo(Expiring.BUCKET);
    }
}
