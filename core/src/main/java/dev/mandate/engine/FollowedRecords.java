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
 * The records that a {@link FollowingMachine} remembers, no more than a given number, and what was told of them:
 * nothing at first, then the whole, then differences.
 */
final class FollowedRecords<T> {
    private final RecordKey prefix;
    private final int most;
    private final Map<RecordKey, Followed<T>> records = new HashMap<>();
    private final List<FollowedChange<T>> changes = new ArrayList<>();
    private int present;
    private boolean isTold;
    private boolean isFull;
    /** The listing under way, or a hint since, has shown more than are remembered. */
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

    /** All, the dead and the vacant among them. */
    Collection<Followed<T>> all() {
        return records.values();
    }

    void forget(Followed<T> record) {
        records.remove(record.key);
    }

    /** A new one; null if that would be one too many. */
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

    /** A listing begins. */
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

    /** Returns whether that is a change. */
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

    /** Tells the whole, unless that was done before. */
    void tellAll(List<Action> out) {
        if (!isTold) {
            isTold = true;
            forEach((key, value) -> changes.add(new FollowedChange<>(key, null, value, Silence.UNSEEN)));
            tell(true, out);
        }
    }

    /** Tells what has changed. */
    void tell(List<Action> out) {
        tell(false, out);
    }

    private void tell(boolean isFirst, List<Action> out) {
        if (isFirst || !changes.isEmpty()) {
            out.add(new FollowingAction.Changed<>(isFirst, changes));
            changes.clear();
        }
    }

    /** Whether the whole was told. */
    boolean isTold() {
        return isTold;
    }

    /** How many there are, as told. */
    int size() {
        return present;
    }

    /** Shows all that was told, in no order; nothing before the whole was. */
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
