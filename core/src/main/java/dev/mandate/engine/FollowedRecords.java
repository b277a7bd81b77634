package dev.mandate.engine;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The records that a {@link FollowingMachine} remembers, up to a given number, and what it reported of them: nothing at
 * first, then all, then differences.
 */
final class FollowedRecords<T> {
    private final RecordKey prefix;
    private final int most;
    private final Map<RecordKey, Followed<T>> records = new HashMap<>();
    private final List<FollowedChange<T>> changes = new ArrayList<>();
    private int present;
    private boolean isTold;
    private boolean isFull;
    /** The listing under way, or a hint since, has shown more records than are remembered. */
    private boolean isFuller;

    FollowedRecords(RecordKey prefix, int most) {
        this.prefix = prefix;
        this.most = most;
    }

    // ---- what is remembered ----

    @Nullable
    Followed<T> get(RecordKey key) {
        return records.get(key);
    }

    /** All records, even dead and vacant ones. */
    Collection<Followed<T>> all() {
        return records.values();
    }

    void forget(Followed<T> record) {
        records.remove(record.key);
    }

    /** A new record; null if that would be one too many. */
    @Nullable
    Followed<T> remember(Observation seen, List<Action> out) {
        if (records.size() >= most) {
            isFuller = true;
            if (!isFull) {
                isFull = true;
                out.add(new FollowingAction.Full(true));
            }
            return null;
        }
        Followed<T> record = new Followed<>(prefix, seen.key(), seen.basis());
        records.put(record.key, record);
        return record;
    }

    void listingBegins() {
        isFuller = false;
    }

    /** A listing is complete. */
    void listingEnds(List<Action> out) {
        if (isFull != isFuller) {
            isFull = isFuller;
            out.add(new FollowingAction.Full(isFull));
        }
    }

    boolean isFull() {
        return isFull;
    }

    // ---- what is told ----

    boolean change(Followed<T> record, @Nullable T after) {
        T before = record.value;
        record.value = after;
        present += (after == null ? 0 : 1) - (before == null ? 0 : 1);
        boolean isSame = before == null ? after == null : before.equals(after);
        if (isTold && !isSame) {
            changes.add(new FollowedChange<>(record.key, before, after, record.silence()));
        }
        return !isSame;
    }

    /** Reports all records, unless that was done before. */
    void tellAll(List<Action> out) {
        if (!isTold) {
            isTold = true;
            forEach((key, value) -> changes.add(new FollowedChange<>(key, null, value, Silence.UNSEEN)));
            tell(true, out);
        }
    }

    /** Reports what has changed. */
    void tell(List<Action> out) {
        tell(false, out);
    }

    private void tell(boolean isFirst, List<Action> out) {
        if (isFirst || !changes.isEmpty()) {
            out.add(new FollowingAction.Changed<>(isFirst, changes));
            changes.clear();
        }
    }

    /** Whether all records were reported. */
    boolean isTold() {
        return isTold;
    }

    /** How many records there are, as reported. */
    int size() {
        return present;
    }

    /** Shows all that was reported, in no order; nothing before the first complete report. */
    void forEach(BiConsumer<? super RecordKey, ? super T> each) {
        if (isTold) {
            for (Followed<T> record : records.values()) {
                T value = record.value;
                if (value != null) {
                    each.accept(record.key, value);
                }
            }
        }
    }
}
