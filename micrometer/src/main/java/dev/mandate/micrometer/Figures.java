package dev.mandate.micrometer;

import dev.mandate.ClientStatistics;
import dev.mandate.ElectionClient;
import dev.mandate.ElectionStatistics;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A client's newest figures: one snapshot serves all meters that are read together. Any thread. */
final class Figures {
    /** How old a snapshot may become. */
    static final long FRESH_NANOS = 100_000_000;

    /**
     * One snapshot.
     *
     * @param number counts the snapshots from 1
     * @param byName its elections
     */
    record Snapshot(long number, long takenNanos, ClientStatistics all, Map<String, ElectionStatistics> byName) {}

    private final ElectionClient client;
    private final LongSupplier clock;
    private @Nullable Snapshot newest;

    Figures(ElectionClient client, LongSupplier clock) {
        this.client = client;
        this.clock = clock;
    }

    ElectionClient client() {
        return client;
    }

    /** Taken one after the other, so that no counter ever falls. */
    synchronized Snapshot now() {
        long now = clock.getAsLong();
        Snapshot known = newest;
        if (known == null || now - known.takenNanos >= FRESH_NANOS) {
            ClientStatistics all = client.statistics();
            Map<String, ElectionStatistics> byName = all.elections().stream()
                    .collect(Collectors.toMap(ElectionStatistics::election, Function.identity()));
            known = new Snapshot(known == null ? 1 : known.number + 1, now, all, byName);
            newest = known;
        }
        return known;
    }
}
