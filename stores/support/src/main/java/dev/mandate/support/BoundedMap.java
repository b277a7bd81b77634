package dev.mandate.support;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map of bounded size, for what is useful but not required: beyond the size, it forgets the entry that was used least
 * recently. Not thread-safe, not even for reading.
 */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    private final int entriesMax;

    /** An empty map of at most {@code entriesMax} entries. */
    public BoundedMap(int entriesMax) {
        super(16, 0.75f, true);
        this.entriesMax = entriesMax;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > entriesMax;
    }
}
