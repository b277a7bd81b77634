package dev.mandate.internal;

import dev.mandate.engine.FollowedChange;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a client knows below one prefix that it follows: a list by key, shared by all watches of that prefix.
 *
 * @param <T> what a record is read as
 * @param <V> the view that users see
 */
abstract class FollowedList<T, V> implements FollowedPrefix.Listener<T> {
    /** How many records are followed below the prefix of a whole space. */
    static final int ALL_MAX = 100_000;

    /** Is told of changes: one watch of the list. */
    interface Watcher {
        /** There may be news. On the loop. */
        void look();

        /** Releases callers that wait for an answer. Any thread. */
        void giveUp();

        /** See {@link Telling#end}. */
        @Nullable
        CompletableFuture<Void> end();
    }

    private final ClientContext client;
    private final String name;
    private final int most;

    /** Replaced as a whole, on the loop. */
    private volatile Known<T> known;

    /** The view of some edition, without its age. */
    private volatile @Nullable Newest<V> newest;

    /** Changed only under the monitor of {@link FollowedPrefixes}. */
    private volatile List<Watcher> watches = List.of();

    /** Changes since {@link #known} was made; the last change of each record. On the loop. */
    private final TreeMap<RecordKey, FollowedChange<T>> pending = new TreeMap<>(FollowedList::byName);

    /** On the loop. */
    private boolean isFull;

    /**
     * What is known.
     *
     * @param edition changes whenever there may be news
     * @param agedNanos the instant from which the list's age counts
     * @param staleAtNanos when it becomes stale even if the loop says nothing: the loop may hang, or have ended
     * @param isListed whether the store has ever answered for all
     * @param isFull whether there are more records than are followed
     */
    record Known<T>(
            List<T> list,
            int edition,
            long agedNanos,
            long staleAtNanos,
            boolean isListed,
            boolean isStale,
            boolean isFull) {
        boolean isStale(long nanos) {
            return isStale || nanos >= staleAtNanos;
        }

        Duration age(long nanos) {
            return Duration.ofNanos(Math.max(0, nanos - agedNanos));
        }
    }

    private record Newest<V>(int edition, V view) {}

    /**
     * Nothing is known yet.
     *
     * @param name the name of what is followed, for messages
     * @param most how many records are followed
     */
    FollowedList(ClientContext client, String name, int most) {
        this.client = client;
        this.name = name;
        this.most = most;
        long opened = client.openedNanos();
        this.known = new Known<>(List.of(), 0, opened, opened, false, true, false);
    }

    /** By name, segment by segment. */
    static int byName(RecordKey one, RecordKey other) {
        List<String> first = one.segments();
        List<String> second = other.segments();
        for (int i = 0; i < Math.min(first.size(), second.size()); i++) {
            int order = first.get(i).compareTo(second.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(first.size(), second.size());
    }

    // ---- what kind of list it is ----

    /** The order of {@code each} and {@code key}, as {@link #byName} orders their keys. */
    abstract int compare(T each, RecordKey key);

    /** What users see. */
    abstract V view(List<T> list, Duration age, boolean isStale);

    /** The instant from which the list's age counts: by default, when the store last vouched for it. */
    long agedNanos(FollowingMachine<T> machine) {
        return machine.staleByNanos() - client.timing().leaseNanos();
    }

    final ClientContext client() {
        return client;
    }

    // ---- on the loop ----

    @Override
    public void changed(FollowingAction.Changed<T> news) {
        news.changes().forEach(change -> pending.put(change.key(), change));
    }

    /** Merges two lists sorted by name into a third. */
    private List<T> merged(List<T> before) {
        List<T> after = new ArrayList<>(before.size() + pending.size());
        int i = 0;
        for (FollowedChange<T> change : pending.values()) {
            while (i < before.size() && compare(before.get(i), change.key()) < 0) {
                after.add(before.get(i++));
            }
            if (i < before.size() && compare(before.get(i), change.key()) == 0) {
                i++;
            }
            if (change.after() != null) {
                after.add(change.after());
            }
        }
        after.addAll(before.subList(i, before.size()));
        return List.copyOf(after);
    }

    /** Rebuilds the list once per batch of news: it may be long, and the loop renews leases, too. */
    @Override
    public void stepped(FollowingMachine<T> machine) {
        know(machine, pending.isEmpty() ? known.list : merged(known.list));
    }

    @Override
    public void mend(FollowingMachine<T> machine) {
        TreeMap<RecordKey, T> all = new TreeMap<>(FollowedList::byName);
        machine.forEach(all::put);
        isFull = machine.isFull();
        know(machine, List.copyOf(all.values()));
    }

    @SuppressWarnings("ReferenceEquality")
    private void know(FollowingMachine<T> machine, List<T> list) {
        Known<T> before = known;
        boolean isListed = machine.isKnown();
        boolean isStale = !isListed || machine.isStale();
        boolean isSame = list == before.list
                && before.isListed == isListed
                && before.isStale == isStale
                && before.isFull == isFull;
        Known<T> now = new Known<>(
                list,
                isSame ? before.edition : before.edition + 1,
                isListed ? agedNanos(machine) : before.agedNanos,
                isListed ? machine.staleByNanos() : before.staleAtNanos,
                isListed,
                isStale,
                isFull);
        if (!isSame || before.agedNanos != now.agedNanos || before.staleAtNanos != now.staleAtNanos) {
            known = now;
        }
        pending.clear();
        if (isListed) {
            watches.forEach(Watcher::look);
        }
    }

    /** Tells a new watch what is known already. */
    final void begun(Watcher watch) {
        if (known.isListed) {
            watch.look();
        }
    }

    @Override
    public void full(boolean isFull) {
        this.isFull = isFull;
        client.journal()
                .warn(
                        isFull
                                ? name + " has more than " + most
                                        + " records, the limit; following only those that came first"
                                : name + " is below the limit again; following all of it",
                        null);
    }

    @Override
    public void fault(@Nullable String message) {
        client.journal()
                .warn(message == null ? name + " can be listed again" : name + " cannot be listed: " + message, null);
    }

    // ---- on any thread ----

    final Known<T> known() {
        return known;
    }

    /** The newest view; its age is 0. */
    final V newest() {
        Known<T> now = known;
        Newest<V> made = newest;
        if (made == null || made.edition != now.edition) {
            made = new Newest<>(now.edition, view(now.list, Duration.ZERO, now.isStale));
            newest = made;
        }
        return made.view;
    }

    /** The newest view, with its age. */
    final V view() {
        Known<T> now = known;
        long nanos = client.host().nanos();
        return view(now.list, now.age(nanos), now.isStale(nanos));
    }

    /** As {@link #view}, but stale only once the loop says so: an answer that the loop takes first keeps it fresh. */
    final V told() {
        Known<T> now = known;
        return view(now.list, now.age(client.host().nanos()), now.isStale);
    }

    /** Whether the store has ever answered for all. */
    final boolean isListed() {
        return known.isListed;
    }

    final List<Watcher> watches() {
        return watches;
    }

    final void add(Watcher watch) {
        watches = Lists.with(watches, watch);
    }

    final void remove(Watcher watch) {
        watches = Lists.without(watches, watch);
    }
}
