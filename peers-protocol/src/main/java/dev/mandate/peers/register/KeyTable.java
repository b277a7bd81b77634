package dev.mandate.peers.register;

import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a voter holds for each key: promised epoch, accepted epoch and value. Forgets a record a quarantine after it was
 * written, a vacant value two quarantines after its release (late copies apart), and then merges the promise into one
 * floor for all keys that are not held.
 */
final class KeyTable {
    /** The longest page of a listing. */
    static final int PAGE_MAX = 256;

    /** How many characters the records of a page have at most, unless the page has one key. */
    private static final int PAGE_CHARS_MAX = 200_000;

    private static final int KEYS_MAX = 1 << 17;

    private final long quarantineNanos;
    private final Map<RecordKey, Entry> entries = new HashMap<>();

    /** The same keys in the order of listings, so that a listing costs only what is below its prefix. */
    private final NavigableMap<String, RecordKey> byPath = new TreeMap<>();

    /** Everything up to this counter counts as promised for every key: earlier starts may have promised it. */
    private long base;

    /** The same for keys that are not held. */
    private long floor;

    private long sweptNanos;

    /** One key. */
    private static final class Entry {
        Epoch promised;
        long promisedNanos;

        @Nullable
        Vote vote;

        /** When that value was first accepted, here or elsewhere, as far as known; never earlier than it was. */
        long votedNanos;

        Entry(Epoch promised, long promisedNanos) {
            this.promised = promised;
            this.promisedNanos = promisedNanos;
        }
    }

    KeyTable(long quarantineNanos, long nowNanos) {
        this.quarantineNanos = quarantineNanos;
        this.sweptNanos = nowNanos;
    }

    /** For the explorer. */
    KeyTable(KeyTable other) {
        quarantineNanos = other.quarantineNanos;
        base = other.base;
        floor = other.floor;
        sweptNanos = other.sweptNanos;
        other.entries.forEach((key, entry) -> {
            Entry copy = new Entry(entry.promised, entry.promisedNanos);
            copy.vote = entry.vote;
            copy.votedNanos = entry.votedNanos;
            entries.put(key, copy);
        });
        byPath.putAll(other.byPath);
    }

    /** Everything below {@code ceiling} counts as promised. */
    void promiseBelow(long ceiling) {
        base = Math.max(base, ceiling - 1);
        floor = Math.max(floor, base);
    }

    /**
     * Whether {@code epoch} may be promised, or accepted in: it is the promised one, or its counter is higher. A tie is
     * not enough, nor is an epoch promised below a ceiling learnt since.
     */
    boolean permits(RecordKey key, Epoch epoch) {
        Entry entry = entries.get(key);
        if (entry != null && epoch.equals(entry.promised)) {
            return epoch.counter() > base;
        }
        return epoch.counter() > promised(key);
    }

    /** The highest counter promised. */
    long promised(RecordKey key) {
        Entry entry = entries.get(key);
        return entry == null ? floor : Math.max(base, entry.promised.counter());
    }

    /** The last accepted vote, null for none. */
    @Nullable
    Vote vote(RecordKey key) {
        Entry entry = entries.get(key);
        return entry == null ? null : entry.vote;
    }

    /** Whether there is room for {@code key}; makes room if it can. */
    boolean hasRoom(RecordKey key) {
        if (entries.size() < KEYS_MAX || entries.containsKey(key)) {
            return true;
        }
        removeIf(entry -> entry.vote == null && fold(entry));
        return entries.size() < KEYS_MAX;
    }

    void promise(RecordKey key, Epoch epoch, long nowNanos) {
        Entry entry = entries.computeIfAbsent(key, absent -> {
            byPath.put(absent.path(), absent);
            return new Entry(epoch, nowNanos);
        });
        entry.promised = epoch;
        entry.promisedNanos = nowNanos;
    }

    /**
     * Takes a value that was first accepted {@code ageNanos} ago. Completing a write makes its value no younger:
     * otherwise each look could revive a value that some voters have forgotten and others have not quite yet, and a
     * record might outlive its release.
     */
    void accept(RecordKey key, Vote vote, long ageNanos, long nowNanos) {
        promise(key, vote.epoch(), nowNanos);
        Entry entry = entries.get(key);
        if (entry != null) {
            boolean isSame = entry.vote != null
                    && entry.vote.value().write().equals(vote.value().write());
            long votedNanos = nowNanos - Math.min(ageNanos, 2 * quarantineNanos);
            // Of two ages the smaller counts, so a clock that leapt makes nothing old elsewhere.
            boolean isYounger = isSame && entry.votedNanos - votedNanos > 0;
            entry.votedNanos = isYounger ? entry.votedNanos : votedNanos;
            entry.vote = vote;
        }
    }

    /** The age of the accepted value; 0 for none. */
    long ageNanos(RecordKey key, long nowNanos) {
        Entry entry = entries.get(key);
        return entry == null || entry.vote == null ? 0 : Math.max(0, nowNanos - entry.votedNanos);
    }

    /** Forgets one key if its time has come. */
    void age(RecordKey key, long nowNanos) {
        Entry entry = entries.get(key);
        if (entry != null && isOver(entry, nowNanos)) {
            entries.remove(key);
            byPath.remove(key.path());
        }
    }

    /** Now and then, forgets everything whose time has come. */
    void sweep(long nowNanos) {
        if (nowNanos - sweptNanos >= quarantineNanos / 2) {
            sweptNanos = nowNanos;
            removeIf(entry -> isOver(entry, nowNanos));
        }
    }

    private void removeIf(Predicate<Entry> isGone) {
        entries.entrySet().removeIf(each -> {
            boolean goes = isGone.test(each.getValue());
            if (goes) {
                byPath.remove(each.getKey().path());
            }
            return goes;
        });
    }

    private boolean isOver(Entry entry, long nowNanos) {
        Vote vote = entry.vote;
        if (vote != null) {
            long kept = vote.value().record() == null ? 2 * quarantineNanos : quarantineNanos;
            if (nowNanos - entry.votedNanos >= kept) {
                entry.vote = null;
            }
        }
        return entry.vote == null && nowNanos - entry.promisedNanos >= quarantineNanos && fold(entry);
    }

    private boolean fold(Entry entry) {
        floor = Math.max(floor, entry.promised.counter());
        return true;
    }

    int size() {
        return entries.size();
    }

    /** A page in the order of paths. */
    Message.Listed page(Message.ListKeys asked, long nowNanos) {
        List<Message.Listed.At> page = new ArrayList<>();
        int limit = Math.max(1, Math.min(PAGE_MAX, asked.limit()));
        int chars = 0;
        String top = asked.prefix().path();
        for (Map.Entry<String, RecordKey> next = after(asked.after(), top);
                next != null;
                next = after(next.getKey(), top)) {
            RecordKey key = next.getValue();
            age(key, nowNanos);
            Vote vote = vote(key);
            if (vote == null) {
                continue;
            }
            chars += vote.value().record() == null
                    ? 0
                    : RecordJson.write(vote.value().record()).length();
            if (page.size() >= limit || !page.isEmpty() && chars > PAGE_CHARS_MAX) {
                return new Message.Listed(asked.call(), asked.after(), page, false);
            }
            page.add(new Message.Listed.At(key, vote));
        }
        return new Message.Listed(asked.call(), asked.after(), page, true);
    }

    /** The first key after that path which is at or below {@code top}; null for none. */
    private Map.@Nullable Entry<String, RecordKey> after(String path, String top) {
        RecordKey itself = path.compareTo(top) < 0 ? byPath.get(top) : null;
        if (itself != null) {
            return Map.entry(top, itself);
        }
        // Names that merely begin alike come in between; '0' is what follows '/'.
        Map.Entry<String, RecordKey> next = byPath.higherEntry(path.compareTo(top + '/') > 0 ? path : top + '/');
        return next == null || next.getKey().compareTo(top + '0') >= 0 ? null : next;
    }

    /** For the explorer: everything that affects answers, except times. */
    void digest(LongConsumer digest) {
        digest.accept(base);
        digest.accept(floor);
        for (RecordKey key : byPath.values()) {
            Entry entry = entries.get(key);
            if (entry != null) {
                entry.promised.digest(digest);
                Vote.digest(entry.vote, digest);
            }
        }
    }
}
