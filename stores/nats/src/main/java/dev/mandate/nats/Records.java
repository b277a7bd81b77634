package dev.mandate.nats;

import dev.mandate.spi.Excerpt;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Records as JSON values of keys. Any other value is foreign: most likely the name of a candidate of the Go recipe. */
final class Records {
    private Records() {}

    static byte[] bytes(LeaderRecord record) {
        return RecordJson.write(record).getBytes(StandardCharsets.UTF_8);
    }

    static Observation.Held held(RecordKey key, long revision, LeaderRecord record) {
        HeldAt at = new HeldAt(revision);
        return Observation.held(key, at, at, revision, record);
    }

    static Observation vacant(RecordKey key, long revision) {
        return Observation.vacant(key, new VacantAt(revision));
    }

    /**
     * What a key's last message shows.
     *
     * @param entry null if there is none
     * @param ttl the bucket's time to live
     */
    static Observation observe(RecordKey key, @Nullable Entry entry, Duration ttl) {
        if (entry == null) {
            return vacant(key, 0);
        }
        if (entry.isMarker()) {
            return Observation.vacant(key, new VacantAt(entry.revision(), entry.isDeletion()));
        }
        Optional<String> text = text(entry.value());
        Optional<LeaderRecord> record = text.flatMap(RecordJson::find);
        if (record.isPresent()) {
            return held(key, entry.revision(), record.get());
        }
        HeldAt at = new HeldAt(entry.revision());
        Duration lease = entry.lifetime() == null ? ttl : entry.lifetime();
        return Observation.foreign(
                key, at, at, entry.revision(), Excerpt.of(text.orElse("(bytes)"), Excerpt.VALUE_MAX), lease);
    }

    private static Optional<String> text(byte[] value) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
