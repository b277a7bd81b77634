package dev.mandate.nats;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lists all records below a prefix, page by page in key order. It fetches the key names, then reads the records of a
 * page from the bucket's leader, many at once. Names are fetched for the first page and kept for pages requested soon
 * after: records written meanwhile may be missing.
 */
final class Listing {
    private static final int ITEMS_MAX = 250;

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Wire wire;
    private final Keys keys;
    private volatile @Nullable Names kept;

    /** The keys below {@code prefix} at that time. */
    private record Names(RecordKey prefix, long atNanos, TreeMap<String, RecordKey> all) {
        boolean isOf(RecordKey other) {
            return prefix.equals(other) && System.nanoTime() - atNanos < KEPT_NANOS;
        }
    }

    Listing(Wire wire, Keys keys) {
        this.wire = wire;
        this.keys = keys;
    }

    CompletionStage<Page<Observation>> page(RecordKey prefix, Cursor from, Duration ttl, CallContext call) {
        String what = "listing " + prefix;
        @Nullable Names known = kept;
        if (known != null && !from.opaque().isEmpty() && known.isOf(prefix)) {
            return page(prefix, from, known.all(), ttl, call);
        }
        long nowNanos = System.nanoTime();
        return names(what, prefix, 0, new TreeMap<>(), call).thenCompose(all -> {
            kept = all.size() > ITEMS_MAX ? new Names(prefix, nowNanos, all) : null;
            return page(prefix, from, all, ttl, call);
        });
    }

    /** The server returns at most 100,000 names at a time. */
    private CompletableFuture<TreeMap<String, RecordKey>> names(
            String what, RecordKey prefix, long offset, TreeMap<String, RecordKey> found, CallContext call) {
        return wire.keys(what, keys.all(prefix), offset, call).thenCompose(answer -> {
            var subjects = answer.object("state").object("subjects").names();
            for (String subject : subjects) {
                String path = wire.key(subject);
                keys.key(path).filter(key -> key.isBelow(prefix)).ifPresent(key -> found.put(path, key));
            }
            long next = offset + subjects.size();
            return subjects.isEmpty() || next >= answer.number("total")
                    ? CompletableFuture.completedFuture(found)
                    : names(what, prefix, next, found, call);
        });
    }

    private CompletableFuture<Page<Observation>> page(
            RecordKey prefix, Cursor from, TreeMap<String, RecordKey> all, Duration ttl, CallContext call) {
        List<CompletableFuture<Observation>> reads = new ArrayList<>();
        Cursor next = null;
        for (var each : all.tailMap(from.opaque(), false).entrySet()) {
            RecordKey key = each.getValue();
            reads.add(wire.last(new Op("listing", prefix, each.getKey(), call))
                    .thenApply(entry -> Records.observe(key, entry, ttl)));
            if (reads.size() == ITEMS_MAX) {
                next = each.getKey().equals(all.lastKey()) ? null : new Cursor(each.getKey());
                break;
            }
        }
        Cursor after = next;
        return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
                .thenApply(done -> new Page<>(
                        // Markers of released keys are not listed.
                        reads.stream()
                                .map(CompletableFuture::join)
                                .filter(Observation.Held.class::isInstance)
                                .toList(),
                        after));
    }
}
