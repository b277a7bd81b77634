package dev.mandate.nats;

import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The last message of a key.
 *
 * @param revision its sequence number in the stream
 * @param isMarker whether it marks the key as empty: a release, a deletion or an expiry
 * @param isDeletion whether it is a marker that another program wrote
 * @param lifetime its own time to live; null for that of the bucket
 * @param bucket when the bucket was created that its writer meant; empty if the writer did not say
 */
record Entry(
        long revision,
        boolean isMarker,
        boolean isDeletion,
        @Nullable Duration lifetime,
        String bucket,
        byte[] value) {
    static final String OPERATION = "KV-Operation";

    /**
     * The operation of the marker that a release leaves. When a deletion expires, the server replaces whatever the key
     * then holds by its own marker, even an acquire that it has just acknowledged; a purge it only removes (from 2.11.7
     * on, nats-server commit 94b0fb3e5).
     */
    static final String RELEASED = "PURGE";

    static final String REASON = "Nats-Marker-Reason";
    static final String TTL = "Nats-TTL";
    static final String EXPECTED = "Nats-Expected-Last-Subject-Sequence";

    /** The attempt that a message renews, so that a watch need not parse the record. */
    static final String RENEWAL = "Mandate-Renewal";

    /** When the bucket that a record is for was created. No two buckets of one name have the same nanosecond. */
    static final String BUCKET = "Mandate-Bucket";

    private static final Pattern LIFETIME = Pattern.compile("[0-9]{1,9}[smh]?");

    /** Reads a message; {@code headers} gives the first value of a header, or null. */
    static Entry of(long revision, Function<String, @Nullable String> headers, byte @Nullable [] value) {
        String operation = headers.apply(OPERATION);
        boolean isServers = headers.apply(REASON) != null;
        boolean isMarker = operation != null && !operation.equals("PUT") || isServers;
        String bucket = headers.apply(BUCKET);
        return new Entry(
                revision,
                isMarker,
                isMarker && !isServers && !RELEASED.equals(operation),
                lifetime(headers.apply(TTL)),
                bucket == null ? "" : bucket,
                value == null ? new byte[0] : value);
    }

    /** Whether its writer meant another bucket of the same name than {@code present}. */
    boolean isOfAnother(Bucket present) {
        return !bucket.isEmpty() && !bucket.equals(present.created());
    }

    /** Parses whole seconds, as these stores write them, or like {@code 1m}; null for anything else. */
    private static @Nullable Duration lifetime(@Nullable String ttl) {
        if (ttl == null || !LIFETIME.matcher(ttl).matches()) {
            return null;
        }
        char unit = ttl.charAt(ttl.length() - 1);
        long count = Long.parseLong(Character.isDigit(unit) ? ttl : ttl.substring(0, ttl.length() - 1));
        return unit == 'm'
                ? Duration.ofMinutes(count)
                : unit == 'h' ? Duration.ofHours(count) : Duration.ofSeconds(count);
    }
}
