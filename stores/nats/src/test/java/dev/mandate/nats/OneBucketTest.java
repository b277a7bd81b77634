package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Finding;
import dev.mandate.support.StoreAuthority.Host;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the doctor makes of servers that show different buckets. */
class OneBucketTest {
    private static final Host A = new Host("a", 4222);
    private static final Host B = new Host("b", 4222);

    private static OneBucket.Shown shown(Host host, String json) {
        return OneBucket.Shown.of(host, Json.read(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static OneBucket.Shown made(Host host, String created, String domain) {
        return shown(host, "{\"created\":\"" + created + "\",\"domain\":\"" + domain + "\"}");
    }

    private static OneBucket.Shown none(Host host) {
        return shown(host, "{\"error\":{\"err_code\":10059},\"domain\":\"x\"}");
    }

    private static String said(Finding.Severity severity, OneBucket.Shown... servers) {
        List<Finding> found = OneBucket.findings("E", List.of(servers));
        assertThat(found).hasSize(1);
        assertThat(found.get(0).severity()).isEqualTo(severity);
        assertThat(found.get(0).subject()).isEqualTo("bucket");
        return found.get(0).sentence();
    }

    @Test
    void oneBucketIsWell() {
        assertThat(said(Finding.Severity.OK, made(A, "t1", ""), made(B, "t1", "")))
                .contains("one bucket", "t1");
        assertThat(said(Finding.Severity.OK, made(A, "t1", "hub"), OneBucket.Shown.unknown(B)))
                .contains("every server that answers");
    }

    @Test
    void twoAreNot() {
        assertThat(said(Finding.Severity.ERROR, made(A, "t1", ""), made(B, "t2", "")))
                .contains("not one bucket 'E'", "a:4222 has one that was made at t1", "b:4222", "t2");
        assertThat(said(Finding.Severity.ERROR, made(A, "t1", "hub"), made(B, "t1", "leaf")))
                .contains("'hub'", "'leaf'");
    }

    @Test
    void aServerWithoutItIsNamed() {
        assertThat(said(Finding.Severity.ERROR, none(A), made(B, "t1", "")))
                .contains("b:4222 has one", "a:4222 has none");
    }

    @Test
    void nothingIsSaidOfABucketThatNobodyShows() {
        assertThat(OneBucket.findings("E", List.of(none(A), none(B)))).isEmpty();
        assertThat(OneBucket.findings("E", List.of(OneBucket.Shown.unknown(A)))).isEmpty();
        assertThat(OneBucket.findings("E", List.of(OneBucket.Shown.of(A, null))))
                .isEmpty();
        assertThat(OneBucket.findings("E", List.of(shown(A, "{\"error\":{\"err_code\":10039}}"), made(B, "t1", ""))))
                .extracting(Finding::severity)
                .containsExactly(Finding.Severity.OK);
    }
}
