package dev.mandate.http;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What streams report: for each name its newest state and the number of the change that made it. A reader that knows
 * all up to a number asks for later changes and gets the newest state of each name: nothing is queued, however slow the
 * reader is. Safe for use from many threads.
 */
final class Board {
    /** What a name belongs to. */
    enum Kind {
        ELECTION,
        QUEUE,
        SERVICE,
        TAKE_OVER
    }

    /**
     * One state of one name.
     *
     * @param number of the change that made it; numbers increase
     * @param body the content; null if it is gone
     */
    record State(Kind kind, String name, long number, Json.@Nullable Body body) {}

    /** An entry of a list that is ordered by number. */
    private static final class Entry {
        final Kind kind;
        final String name;
        long number;
        Json.@Nullable Body body;

        @Nullable
        Entry older;

        @Nullable
        Entry newer;

        Entry(Kind kind, String name) {
            this.kind = kind;
            this.name = name;
        }

        State state() {
            return new State(kind, name, number, body);
        }
    }

    private final int goneMax;

    // All guarded by this.
    private final Map<Kind, Map<String, Entry>> named = new EnumMap<>(Kind.class);
    /** The removals, oldest first; a removed name may be back. */
    private final ArrayDeque<State> gone = new ArrayDeque<>();

    private @Nullable Entry oldest;
    private @Nullable Entry newest;
    private long number;
    private long forgotten;
    private long dropped;

    /** @param goneMax how many removals are remembered at most, for readers that do not know them yet */
    Board(int goneMax) {
        this.goneMax = goneMax;
        for (Kind kind : Kind.values()) {
            named.put(kind, new HashMap<>());
        }
    }

    /** The number of the last change; 0 before the first. */
    synchronized long number() {
        return number;
    }

    /** A reader that does not know all up to this number may have missed removals for good. */
    synchronized long forgotten() {
        return forgotten;
    }

    /** Removals after this change are still reported, those up to it no more. */
    synchronized long dropped() {
        return dropped;
    }

    /** Sets the content of {@code name}; null removes it. */
    synchronized void put(Kind kind, String name, Json.@Nullable Body body) {
        Map<String, Entry> those = names(kind);
        Entry entry = those.get(name);
        if (entry == null) {
            if (body == null) {
                return;
            }
            entry = new Entry(kind, name);
            those.put(name, entry);
        } else if (entry.body == null && body == null) {
            return;
        } else {
            unlink(entry);
        }
        entry.number = ++number;
        entry.body = body;
        append(entry);
        if (body == null) {
            gone.addLast(entry.state());
            while (gone.size() > goneMax) {
                State first = gone.removeFirst();
                forgotten = first.number();
                forget(first);
            }
        }
    }

    /** Drops {@code name} without a report to anybody. */
    synchronized void drop(Kind kind, String name) {
        Entry entry = names(kind).remove(name);
        if (entry != null) {
            unlink(entry);
        }
    }

    /** The newest state of each name that changed after {@code known}; oldest first, at most {@code atMost}. */
    synchronized List<State> after(long known, int atMost) {
        Entry first = null;
        if (known <= 0) {
            first = oldest;
        } else {
            for (Entry each = newest; each != null && each.number > known; each = each.older) {
                first = each;
            }
        }
        List<State> found = new ArrayList<>();
        for (Entry each = first; each != null && found.size() < atMost; each = each.newer) {
            found.add(each.state());
        }
        return found;
    }

    /** Every reader knows all up to {@code told}: forgets the removals up to there. */
    synchronized void told(long told) {
        while (!gone.isEmpty() && gone.getFirst().number() <= told) {
            forget(gone.removeFirst());
        }
    }

    private void forget(State went) {
        dropped = went.number();
        Entry entry = names(went.kind()).get(went.name());
        if (entry != null && entry.number == went.number()) {
            drop(went.kind(), went.name());
        }
    }

    private Map<String, Entry> names(Kind kind) {
        Map<String, Entry> those = named.get(kind);
        if (those == null) {
            throw new IllegalArgumentException(kind.name());
        }
        return those;
    }

    private void append(Entry entry) {
        entry.older = newest;
        entry.newer = null;
        if (newest == null) {
            oldest = entry;
        } else {
            newest.newer = entry;
        }
        newest = entry;
    }

    private void unlink(Entry entry) {
        Entry before = entry.older;
        Entry after = entry.newer;
        if (before == null) {
            oldest = after;
        } else {
            before.newer = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.older = before;
        }
    }
}
