package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RecordJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What stands in the keys, and whose it is. */
class RecordsTest {
    private static final RecordKey KEY = RecordKey.election("jobs");
    private static final String PATH = "service/jobs/leader";
    private static final String BESIDE = "service/jobs/leader=mandate";
    private static final LeaderRecord RECORD =
            LeaderRecord.proposal("c", new Id(1, 2), new Id(3, 4), "10.0.0.7:8080", Duration.ofSeconds(10), 0);

    private final Records json = records(false);
    private final Records raw = records(true);

    private static Records records(boolean isRaw) {
        return new Records(
                KeyTemplate.of("service/{election}/leader")
                        .withEscape('=', "-_")
                        .withBeside("=mandate"),
                isRaw,
                id -> id,
                session -> session.equals("known") ? Optional.of(Duration.ofSeconds(30)) : Optional.empty());
    }

    private static KvEntry entry(String path, String value, String session, long index) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return new KvEntry(path, Base64.getEncoder().encodeToString(bytes), session, index);
    }

    private static Observation.Held held(Records records, @Nullable KvEntry main, @Nullable KvEntry beside) {
        Observation seen = records.observe(KEY, main, beside);
        assertThat(seen).isInstanceOf(Observation.Held.class);
        return (Observation.Held) seen;
    }

    /** The session decides, not the value: a record of somebody whose session is over still stands there. */
    @Test
    void withoutASessionItIsVacantWhateverItSays() {
        assertThat(json.observe(KEY, null, null).basis()).isEqualTo(new FreeAt(0));
        assertThat(json.observe(KEY, entry(PATH, "", "", 7), null).basis()).isEqualTo(new FreeAt(7));
        assertThat(json.observe(KEY, entry(PATH, RecordJson.write(RECORD), "", 8), null))
                .isInstanceOf(Observation.Vacant.class);
        assertThat(raw.observe(KEY, entry(PATH, "x", "", 8), entry(BESIDE, "{}", "", 8)))
                .isInstanceOf(Observation.Vacant.class);
    }

    @Test
    void aRecordIsReadWithItsIndexAsItsTerm() {
        Observation.Held held = held(json, entry(PATH, RecordJson.write(RECORD), "s", 9), null);

        assertThat(held.record()).isEqualTo(RECORD);
        assertThat(held.term()).isEqualTo(9);
        assertThat(held.basis()).isEqualTo(new LockedAt(9, "s"));
        assertThat(held.liveness()).isEqualTo(new LockedBy("s"));
    }

    @Test
    void anythingElseUnderALockIsForeign() {
        Observation.Held held = held(json, entry(PATH, "{\"node\":1}", "known", 9), null);

        assertThat(held.isForeign()).isTrue();
        assertThat(held.shown()).isEqualTo("{\"node\":1}");
        assertThat(held.lease()).contains(Duration.ofSeconds(30));
        assertThat(held(json, entry(PATH, "x", "other", 9), null).lease()).isEmpty();
        assertThat(held(json, entry(PATH, "x".repeat(100_000), "s", 9), null).shown())
                .hasSize(1_024);
    }

    /** The record beside a value counts if, and only if, both were written by one transaction. */
    @Test
    void aRawValueIsOursOnlyIfBothStandAtOneIndex() {
        KvEntry main = entry(PATH, "10.0.0.7:8080", "s", 9);
        String beside = RecordJson.write(RECORD.withValue(""));

        assertThat(held(raw, main, entry(BESIDE, beside, "", 9)).record()).isEqualTo(RECORD);
        assertThat(held(raw, main, entry(BESIDE, beside, "", 8)).isForeign()).isTrue();
        assertThat(held(raw, main, entry(BESIDE, beside, "", 10)).isForeign()).isTrue();
        assertThat(held(raw, main, entry(BESIDE, "no record", "", 9)).isForeign())
                .isTrue();
        assertThat(held(raw, main, null).isForeign()).isTrue();
    }

    private static String text(Txn txn) {
        return new String(txn.json(), StandardCharsets.UTF_8);
    }

    private static String encoded(String value) {
        return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Nothing is written that does not begin with the check of what was seen. */
    @Test
    void everyWriteBeginsWithItsCondition() {
        String record = encoded(RecordJson.write(RECORD));
        assertThat(text(json.write(KEY, 0, "s", RECORD)))
                .isEqualTo("[{\"KV\":{\"Verb\":\"check-not-exists\",\"Key\":\"" + PATH + "\"}},"
                        + "{\"KV\":{\"Verb\":\"lock\",\"Key\":\"" + PATH + "\",\"Session\":\"s\",\"Value\":\"" + record
                        + "\",\"Flags\":0}}]");
        assertThat(text(json.write(KEY, 7, "s", RECORD)))
                .startsWith("[{\"KV\":{\"Verb\":\"check-index\",\"Key\":\"" + PATH + "\",\"Index\":7}},"
                        + "{\"KV\":{\"Verb\":\"lock\",");
        assertThat(text(json.free(KEY, 7, "s")))
                .isEqualTo("[{\"KV\":{\"Verb\":\"check-index\",\"Key\":\"" + PATH + "\",\"Index\":7}},"
                        + "{\"KV\":{\"Verb\":\"unlock\",\"Key\":\"" + PATH + "\",\"Session\":\"s\"}}]");
        assertThat(text(json.overwrite(KEY, 7, RECORD)))
                .isEqualTo("[{\"KV\":{\"Verb\":\"check-index\",\"Key\":\"" + PATH + "\",\"Index\":7}},"
                        + "{\"KV\":{\"Verb\":\"set\",\"Key\":\"" + PATH + "\",\"Value\":\"" + record
                        + "\",\"Flags\":0}}]");
    }

    /** Consul does not move a key that a write leaves as it was: flags that differ each time see to it. */
    @Test
    void aRawWriteMovesBothKeys() {
        String beside = encoded(RecordJson.write(RECORD.withValue("")));
        assertThat(text(raw.write(KEY, 7, "s", RECORD)))
                .isEqualTo("[{\"KV\":{\"Verb\":\"check-index\",\"Key\":\"" + PATH + "\",\"Index\":7}},"
                        + "{\"KV\":{\"Verb\":\"lock\",\"Key\":\"" + PATH + "\",\"Session\":\"s\",\"Value\":\""
                        + encoded(RECORD.value()) + "\",\"Flags\":7}},"
                        + "{\"KV\":{\"Verb\":\"set\",\"Key\":\"" + BESIDE + "\",\"Value\":\"" + beside
                        + "\",\"Flags\":7}}]");
        assertThat(text(raw.free(KEY, 7, "s"))).endsWith(",{\"KV\":{\"Verb\":\"delete\",\"Key\":\"" + BESIDE + "\"}}]");
    }

    /** What is written over keeps its lock; both keys move, as with every write. */
    @Test
    void aRawOverwriteMovesBothKeys() {
        String beside = encoded(RecordJson.write(RECORD.withValue("")));
        assertThat(text(raw.overwrite(KEY, 7, RECORD)))
                .isEqualTo("[{\"KV\":{\"Verb\":\"check-index\",\"Key\":\"" + PATH + "\",\"Index\":7}},"
                        + "{\"KV\":{\"Verb\":\"set\",\"Key\":\"" + PATH + "\",\"Value\":\"" + encoded(RECORD.value())
                        + "\",\"Flags\":7}},"
                        + "{\"KV\":{\"Verb\":\"set\",\"Key\":\"" + BESIDE + "\",\"Value\":\"" + beside
                        + "\",\"Flags\":7}}]");
    }

    @Test
    void nothingIsErasedThatMovedSinceItWasSeen() {
        String main = "[{\"KV\":{\"Verb\":\"check-index\",\"Key\":\"" + PATH + "\",\"Index\":7}},"
                + "{\"KV\":{\"Verb\":\"delete\",\"Key\":\"" + PATH + "\"}}";
        assertThat(text(json.erase(KEY, 7))).isEqualTo(main + "]");
        assertThat(text(raw.erase(KEY, 7)))
                .isEqualTo(main + ",{\"KV\":{\"Verb\":\"delete\",\"Key\":\"" + BESIDE + "\"}}]");
    }

    @Test
    void aKeyBesideAnotherIsKnownWhereThereAreSuch() {
        assertThat(json.path(KEY)).isEqualTo(PATH);
        assertThat(raw.beside(PATH)).isEqualTo(BESIDE);
        assertThat(raw.isBeside(BESIDE)).isTrue();
        assertThat(raw.isBeside(PATH)).isFalse();
        assertThat(json.isBeside(BESIDE)).isFalse();
    }

    @Test
    void aSessionThatIsKnownIsKeptOnce() {
        Records one = new Records(json.keys(), false, id -> "the same", session -> Optional.empty());

        assertThat(held(one, entry(PATH, RecordJson.write(RECORD), "s", 9), null)
                        .liveness())
                .isEqualTo(new LockedBy("the same"));
    }

    @Test
    void aValueOfTheLongestThatIsShownIsShownWhole() {
        assertThat(held(json, entry(PATH, "x".repeat(1_024), "s", 9), null).shown())
                .hasSize(1_024);
        assertThat(held(json, entry(PATH, "x".repeat(1_025), "s", 9), null).shown())
                .hasSize(1_024);
    }
}
