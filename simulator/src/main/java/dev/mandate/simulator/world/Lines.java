package dev.mandate.simulator.world;

import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The queues of a world, as in the store: who has a place, and since when in true time. */
final class Lines {
    private final World world;
    private final Map<String, Place> places = new TreeMap<>();
    /** Expired places: where a store renews such a record, its place is the same as before. */
    private final Map<String, Place> gone = new HashMap<>();

    /**
     * A place in a queue.
     *
     * @param key of its record
     * @param attempt that took it
     * @param since the true time at which it was written
     */
    record Place(RecordKey key, Id attempt, long since) {}

    Lines(World world) {
        this.world = world;
    }

    static boolean isOf(RecordKey key) {
        return key.space().equals(RecordKey.QUEUES);
    }

    /** A place was written, or its lease ended. */
    void changed(Observation now, boolean renewal) {
        String path = now.key().path();
        if (now instanceof Observation.Held held && !held.isForeign()) {
            Place before = places.getOrDefault(path, gone.get(path));
            Id attempt = held.record().attempt();
            boolean isSame = before != null && before.attempt.equals(attempt);
            places.put(path, isSame ? before : new Place(now.key(), attempt, world.now));
        } else {
            Place before = places.remove(path);
            if (before != null) {
                gone.put(path, before);
            }
        }
        if (world.knobs.watch && (!renewal || world.knobs.watchShowsRenewals)) {
            world.network.hintOfQueue(now);
        }
    }

    /** The places in the queue of {@code election}, whether or not their holders live. */
    List<Place> of(RecordKey election) {
        RecordKey prefix = RecordKey.queue(election.name());
        List<Place> found = new ArrayList<>(places.values());
        found.removeIf(place -> !place.key.isBelow(prefix));
        return found;
    }
}
