package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RecordJson;
import io.etcd.jetcd.api.KeyValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What stands in the keys, and whose it is. */
class LayoutTest {
    private static final RecordKey KEY = RecordKey.election("x");
    private static final LeaderRecord RECORD =
            LeaderRecord.proposal("me", new Id(1, 2), new Id(3, 4), "value", Duration.ofSeconds(10), 0);

    private final KeyTemplate keys = KeyTemplate.of("/leaders/{election}").withOthersBelow("/mandate/");
    private final Layout json = new Layout(keys, false, lease -> lease == 7 ? Duration.ofSeconds(77) : null);
    private final Layout raw = new Layout(keys, true, lease -> null);

    private static KeyValue kv(String value, long modified, long lease) {
        return kv(ByteString.copyFromUtf8(value), modified, lease);
    }

    private static KeyValue kv(ByteString value, long modified, long lease) {
        return KeyValue.newBuilder()
                .setKey(ByteString.copyFromUtf8("/leaders/x"))
                .setValue(value)
                .setCreateRevision(5)
                .setModRevision(modified)
                .setLease(lease)
                .build();
    }

    @Test
    void aRecordUnderALeaseIsOurs() {
        Observation.Held held = json.observe(KEY, kv(RecordJson.write(RECORD), 9, 7), null);

        assertThat(held.record()).isEqualTo(RECORD);
        assertThat(held.basis()).isEqualTo(new HeldAt(9, 5, 7));
        assertThat(held.term()).isEqualTo(5);
    }

    @Test
    void everythingElseIsForeign() {
        assertThat(json.observe(KEY, kv("somebody", 9, 7), null).shown()).isEqualTo("somebody");
        assertThat(json.observe(KEY, kv("somebody", 9, 7), null).lease()).contains(Duration.ofSeconds(77));
        assertThat(json.observe(KEY, kv("somebody", 9, 8), null).lease()).isEmpty();
        assertThat(json.observe(KEY, kv("{", 9, 7), null).isForeign()).isTrue();
        assertThat(json.observe(KEY, kv(RecordJson.write(RECORD), 9, 0), null).shown())
                .isEqualTo("me (without a lease)");
        ByteString noText = ByteString.copyFrom("{\u00ff".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(json.observe(KEY, kv(noText, 9, 7), null).isForeign()).isTrue();
        assertThat(json.observe(KEY, kv("x".repeat(1_000_000), 9, 7), null).shown())
                .hasSize(257);
    }

    @Test
    void aRawValueCountsWithWhatWasWrittenTogetherWithIt() {
        String beside = RecordJson.write(RECORD.withValue(""));
        KeyValue value = kv("new value", 9, 7);

        assertThat(raw.observe(KEY, value, kv(beside, 9, 7)).record()).isEqualTo(RECORD.withValue("new value"));
        assertThat(raw.observe(KEY, value, null).isForeign()).isTrue();
        assertThat(raw.observe(KEY, value, kv(beside, 8, 7)).isForeign()).isTrue();
        assertThat(raw.observe(KEY, value, kv(beside, 9, 8)).isForeign()).isTrue();
        assertThat(raw.observe(KEY, value, kv("{}", 9, 7)).isForeign()).isTrue();
        assertThat(raw.observe(KEY, kv("new value", 9, 0), kv(beside, 9, 0)).isForeign())
                .isTrue();
    }

    /** However many records there are, no more rights are needed than to them. */
    @Test
    void aRangeHasWhatIsBelowItsPrefix() {
        Layout.Range all = json.range(RecordKey.elections());
        assertThat(all.from().toStringUtf8()).isEqualTo("/leaders/");
        assertThat(all.end().toStringUtf8()).isEqualTo("/leaders0");

        KeyTemplate one = KeyTemplate.of("MyApp/leader");
        Layout.Range only = new Layout(one, false, lease -> null).range(RecordKey.elections());
        assertThat(only.from().toStringUtf8()).isEqualTo("MyApp/leader");
        assertThat(only.end().toStringUtf8()).isEqualTo("MyApp/leader\u0000");
        Layout.Range both = new Layout(one, true, lease -> null).range(RecordKey.elections());
        assertThat(both.end().toStringUtf8()).isEqualTo("MyApp/leader#mandate\u0000");
    }

    /** Else a member that was deposed, and does not know it, would confirm renewals. */
    @Test
    void whatAMajorityHasToStandBehindIsNotReadFromOneMemberAlone() {
        assertThat(json.look(true).getSerializable()).isFalse();
        assertThat(json.look(false).getSerializable()).isTrue();
        assertThat(json.look(true).getCountOnly()).isTrue();
    }

    @Test
    void itKnowsWhatItsKeysHold() {
        assertThat(json.isRaw()).isFalse();
        assertThat(raw.isRaw()).isTrue();
    }
}
