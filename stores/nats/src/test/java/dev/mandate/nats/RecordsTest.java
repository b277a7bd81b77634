package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.StoreClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the last message of a key means. */
class RecordsTest {
    private static final RecordKey JOBS = RecordKey.election("jobs");
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Bucket BUCKET = new Bucket(
            ServerVersion.of("2.15.1"), false, Expiring.KEY, TTL, Duration.ZERO, 1, false, 1_024, "then", "");

    private final Map<String, String> headers = new HashMap<>();

    private Entry entry(byte @Nullable [] value) {
        return Entry.of(7, headers::get, value);
    }

    private Observation seen(String value) {
        return Records.observe(JOBS, entry(value.getBytes(StandardCharsets.UTF_8)), TTL);
    }

    @Test
    void nothingIsVacant() {
        assertThat(Records.observe(JOBS, null, TTL)).isInstanceOf(Observation.Vacant.class);
        assertThat(Records.observe(JOBS, null, TTL).basis()).isEqualTo(new VacantAt(0));
    }

    /** Only what another program deleted is followed by a marker of the server. */
    @ParameterizedTest
    @CsvSource({"PURGE,, false", ",MaxAge, false", "DEL,, true", "DEL,MaxAge, false", "OTHER,, true"})
    void markersAreVacant(@Nullable String operation, @Nullable String reason, boolean isDeleted) {
        if (operation != null) {
            headers.put(Entry.OPERATION, operation);
        }
        if (reason != null) {
            headers.put(Entry.REASON, reason);
        }
        assertThat(seen("")).isInstanceOf(Observation.Vacant.class);
        assertThat(seen("").basis()).isEqualTo(new VacantAt(7, isDeleted));
    }

    @Test
    void aRecordIsHeldByItsWriter() {
        headers.put(Entry.OPERATION, "PUT");
        LeaderRecord record =
                LeaderRecord.proposal("me", StoreClient.id(), StoreClient.id(), "value", Duration.ofSeconds(10), 1_000);
        Observation.Held held = (Observation.Held) seen(new String(Records.bytes(record), StandardCharsets.UTF_8));
        assertThat(held.isForeign()).isFalse();
        assertThat(held.isAttempt(record.attempt())).isTrue();
        assertThat(held.term()).isEqualTo(7);
        assertThat(held.basis()).isEqualTo(new HeldAt(7));
    }

    @ParameterizedTest
    @CsvSource({"member 1", "{", "'{\"a\":1}'", "[]"})
    void anythingElseIsAnotherPrograms(String text) {
        Observation.Held held = (Observation.Held) seen(text);
        assertThat(held.isForeign()).isTrue();
        assertThat(held.shown()).isEqualTo(text);
        assertThat(held.lease()).contains(TTL);
    }

    @Test
    void bytesThatAreNoTextAreAnotherProgramsToo() {
        Observation.Held held = (Observation.Held) Records.observe(JOBS, entry(new byte[] {(byte) 0xff}), TTL);
        assertThat(held.isForeign()).isTrue();
        assertThat(held.shown()).isEqualTo("(bytes)");
        assertThat(((Observation.Held) Records.observe(JOBS, entry(null), TTL)).isForeign())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"5s, 5", "9, 9", "2m, 120", "3h, 10800", "never, 30", "-1s, 30", "1.5s, 30"})
    void itsTimeToLiveIsItsOwnOrTheBuckets(String ttl, long seconds) {
        headers.put(Entry.TTL, ttl);
        assertThat(((Observation.Held) seen("member 1")).lease()).contains(Duration.ofSeconds(seconds));
    }

    @Test
    void aRecordNamesItsBucket() {
        assertThat(entry(null).isOfAnother(BUCKET)).as("says nothing").isFalse();
        headers.put(Entry.BUCKET, "then");
        assertThat(entry(null).isOfAnother(BUCKET)).isFalse();
        headers.put(Entry.BUCKET, "before");
        assertThat(entry(null).isOfAnother(BUCKET)).isTrue();
    }
}
