package dev.mandate.internal;

import dev.mandate.CandidacyStatus;
import dev.mandate.ElectionStatistics;
import dev.mandate.engine.Now;
import dev.mandate.spi.RecordKey;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One object for each name that somebody holds or the client takes part in; other names cost nothing. Any thread. */
final class ElectionNames {
    private static final class Named extends WeakReference<ClientElection> {
        private final RecordKey key;

        Named(ClientElection election, ReferenceQueue<ClientElection> gone) {
            super(election, gone);
            this.key = election.key();
        }
    }

    /** A table below this share of its largest size is copied: a table never shrinks by itself. */
    private static final int SHARE_USED_MIN = 8;

    private static final int SIZE_KEPT = 4_096;

    private final ReferenceQueue<ClientElection> gone = new ReferenceQueue<>();
    private final Function<RecordKey, ClientElection> maker;

    /**
     * The elections that the client takes part in. In a table of their own, so that iterating over them costs nothing
     * for other names, however many are held. Written under this object's monitor, read by any thread.
     */
    private volatile Map<RecordKey, ClientElection> used = new ConcurrentHashMap<>();

    // Guarded by this: the other names.
    private Map<RecordKey, Named> named = new HashMap<>();
    private int sizeMax;
    private int usedMax;

    ElectionNames(Function<RecordKey, ClientElection> maker) {
        this.maker = maker;
    }

    synchronized ClientElection get(RecordKey key) {
        letGo();
        Named known = named.get(key);
        ClientElection held = known == null ? null : known.get();
        ClientElection election = used.getOrDefault(key, held);
        if (election == null) {
            election = maker.apply(key);
            name(election);
        }
        return election;
    }

    private void name(ClientElection election) {
        named.put(election.key(), new Named(election, gone));
        sizeMax = Math.max(sizeMax, named.size());
    }

    private void letGo() {
        for (Object each = gone.poll(); each != null; each = gone.poll()) {
            if (each instanceof Named name) {
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

    /** The client takes part in it. */
    synchronized void use(ClientElection election) {
        used.put(election.key(), election);
        usedMax = Math.max(usedMax, used.size());
        named.remove(election.key());
    }

    /** The client no longer takes part in it. */
    synchronized void release(ClientElection election) {
        if (used.get(election.key()) == election) {
            // First: if memory runs short here, it stays in use.
            name(election);
            used.remove(election.key());
        }
    }

    /** The election of this name; null if the client takes no part in it. */
    @Nullable
    ClientElection used(RecordKey key) {
        return used.get(key);
    }

    /** The status of all elections that the client campaigns in, by name. */
    Map<String, CandidacyStatus> statuses() {
        Map<String, CandidacyStatus> all = new TreeMap<>();
        for (ClientElection election : used.values()) {
            if (election.candidacy() != null) {
                all.put(election.name(), election.status());
            }
        }
        return Collections.unmodifiableMap(all);
    }

    /** The figures of all elections that the client campaigns in, by name. */
    List<ElectionStatistics> statistics(Now now) {
        List<ElectionStatistics> all = new ArrayList<>();
        for (ClientElection election : used.values()) {
            if (election.candidacy() != null) {
                WonLeadership won = election.leadership();
                all.add(
                        won == null || !won.isValid()
                                ? CountedElection.follows(election.name())
                                : CountedElection.leads(won.fencingToken(), won.renewalAge(now)));
            }
        }
        all.sort(Comparator.comparing(ElectionStatistics::election));
        return Collections.unmodifiableList(all);
    }

    /** All elections in use. Makes no copy, because it is also called when memory is short. */
    Collection<ClientElection> used() {
        return Collections.unmodifiableCollection(used.values());
    }
}
