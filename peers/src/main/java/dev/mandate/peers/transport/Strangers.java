package dev.mandate.peers.transport;

import java.net.InetAddress;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Accepted connections that have not proved yet that they know the secret, in the order in which they came. Not safe
 * for use from many threads.
 *
 * @param <C> a connection
 */
final class Strangers<C> {
    private final int max;
    private final LinkedHashMap<C, InetAddress> waiting = new LinkedHashMap<>();
    private final Map<InetAddress, Integer> counts = new HashMap<>();

    Strangers(int max) {
        this.max = max;
    }

    /**
     * Adds a connection.
     *
     * @return the removed connection that must be closed for it: the oldest of the addresses that have most, so that
     *     one address alone cannot keep others out. Null if there was room
     */
    @Nullable
    C add(C connection, InetAddress from) {
        waiting.put(connection, from);
        counts.merge(from, 1, Integer::sum);
        return waiting.size() > max ? evicted() : null;
    }

    private @Nullable C evicted() {
        int most = Collections.max(counts.values());
        for (Map.Entry<C, InetAddress> each : waiting.entrySet()) {
            if (Integer.valueOf(most).equals(counts.get(each.getValue()))) {
                C gone = each.getKey();
                remove(gone);
                return gone;
            }
        }
        return null;
    }

    /** It ended, or is no stranger any more; returns whether it was here. */
    boolean remove(C connection) {
        InetAddress from = waiting.remove(connection);
        if (from == null) {
            return false;
        }
        counts.merge(from, -1, (now, less) -> now + less == 0 ? null : now + less);
        return true;
    }

    Iterable<C> all() {
        return waiting.keySet().stream().toList();
    }

    int size() {
        return waiting.size();
    }
}
