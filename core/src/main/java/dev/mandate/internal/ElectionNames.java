package dev.mandate.internal;

import dev.mandate.CandidacyStatus;
import dev.mandate.ElectionStatistics;
import dev.mandate.engine.Now;
import dev.mandate.spi.RecordKey;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One object for each name that somebody holds or the client takes part in; other names cost nothing. Any thread.
 *
 * @param <E> an election of the client
 */
final class ElectionNames<E extends OwnCandidacy.Contest> {
    private static final class Named<E extends OwnCandidacy.Contest> extends WeakReference<E> {
        private final RecordKey key;

        Named(E election, ReferenceQueue<E> gone) {
            super(election, gone);
            this.key = election.key();
        }
    }

    /** A table below this share of its largest size is copied: a table never shrinks by itself. */
    private static final int SHARE_USED_MIN = 8;

    private static final int SIZE_KEPT = 4_096;

    private final ReferenceQueue<E> gone = new ReferenceQueue<>();
    private final Function<RecordKey, E> maker;

    /**
     * The elections that the client takes part in. In a table of their own, so that iterating over them costs nothing
     * for other names, however many are held. Written under this object's monitor, read by any thread.
     */
    private volatile Map<RecordKey, E> used = new ConcurrentHashMap<>();

    // Guarded by this: the other names.
    private Map<RecordKey, Named<E>> named = new HashMap<>();
    private int sizeMax;
    private int usedMax;

    ElectionNames(Function<RecordKey, E> maker) {
        this.maker = maker;
    }

    synchronized E get(RecordKey key) {
        letGo();
        Named<E> known = named.get(key);
        E held = known == null ? null : known.get();
        E election = used.getOrDefault(key, held);
        if (election == null) {
            election = maker.apply(key);
            name(election);
        }
        return election;
    }

    private void name(E election) {
        named.put(election.key(), new Named<>(election, gone));
        sizeMax = Math.max(sizeMax, named.size());
    }

    private void letGo() {
        for (Object each = gone.poll(); each != null; each = gone.poll()) {
            if (each instanceof Named<?> name) {
                named.remove(name.key, name);
            }
        }
        if (sizeMax > SIZE_KEPT && named.size() < sizeMax / SHARE_USED_MIN) {
            named = new HashMap<>(named);
            sizeMax = named.size();
        }
        if (usedMax > SIZE_KEPT && used.size() < usedMax / SHARE_USED_MIN) {
            used = new ConcurrentHashMap<>(used);
            usedMax = used.size();
        }
    }

    // ---- elections that the client takes part in, or remembers ----

    /** The client takes part in it: from now on the loop's announcements reach it. */
    synchronized void use(E election) {
        used.put(election.key(), election);
        usedMax = Math.max(usedMax, used.size());
        named.remove(election.key());
    }

    /** The client no longer takes part in it. */
    synchronized void release(E election) {
        if (used.get(election.key()) == election) {
            // First: if memory runs short here, it stays in use.
            name(election);
            used.remove(election.key());
        }
    }

    /** The election of this name; null if the client takes no part in it. */
    @Nullable
    E used(RecordKey key) {
        return used.get(key);
    }

    /** The status of all elections that the client campaigns in, by name. */
    Map<String, CandidacyStatus> statuses() {
        Map<String, CandidacyStatus> all = new TreeMap<>();
        for (E election : used.values()) {
            if (election.candidacy() != null) {
                all.put(election.key().name(), election.status());
            }
        }
        return Collections.unmodifiableMap(all);
    }

    /** The figures of all elections that the client campaigns in, by name. */
    List<ElectionStatistics> statistics(Now now) {
        // By name: a table that changes meanwhile may show an election twice.
        Map<String, ElectionStatistics> all = new TreeMap<>();
        for (E election : used.values()) {
            if (election.candidacy() != null) {
                WonLeadership won = election.leadership();
                all.put(
                        election.key().name(),
                        won == null || !won.isValid()
                                ? CountedElection.follows(election.key().name())
                                : CountedElection.leads(won.fencingToken(), won.renewalAge(now)));
            }
        }
        return List.copyOf(all.values());
    }

    /** All elections in use. Makes no copy, because it is also called when memory is short. */
    Collection<E> used() {
        return Collections.unmodifiableCollection(used.values());
    }
}
