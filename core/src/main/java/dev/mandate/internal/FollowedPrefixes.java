package dev.mandate.internal;

import dev.mandate.engine.Entropy;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The prefixes of one kind that a client follows, each once, for as long as anybody watches it. Needs no right to
 * write, and no session.
 *
 * @param <T> what a record is read as
 * @param <V> the view that users see
 * @param <L> the list of that kind
 */
final class FollowedPrefixes<T, V, L extends FollowedList<T, V>> {
    private final ClientContext client;
    private final Entropy entropy;
    private final int most;
    private final Function<RecordKey, L> lists;
    private final Function<RecordKey, FollowingMachine.Reading<T>> readings;

    /** Guarded by this. */
    private final Map<RecordKey, Followed<T, L>> followed = new HashMap<>();

    private record Followed<T, L>(L list, FollowedPrefix<T> prefix) {}

    /**
     * Follows nothing yet.
     *
     * @param most how many records are followed below each prefix
     * @param lists makes the list of a prefix
     * @param readings makes the reader of its records
     */
    FollowedPrefixes(
            ClientContext client,
            Entropy entropy,
            int most,
            Function<RecordKey, L> lists,
            Function<RecordKey, FollowingMachine.Reading<T>> readings) {
        this.client = client;
        this.entropy = entropy;
        this.most = most;
        this.lists = lists;
        this.readings = readings;
    }

    /** Watches {@code prefix}; {@code make} gets the list and what to call when the watch is closed. */
    <W extends FollowedList.Watcher> W watch(RecordKey prefix, BiFunction<L, Consumer<FollowedList.Watcher>, W> make) {
        client.lifecycle().requireOpen();
        Followed<T, L> shared;
        W watch;
        synchronized (this) {
            shared = followed.computeIfAbsent(prefix, this::follow);
            watch = make.apply(shared.list, one -> unwatch(prefix, shared, one));
            shared.list.add(watch);
        }
        boolean isTaken = false;
        try {
            // Starting twice is starting once; a later watch is told what is known.
            isTaken = client.loop().command(now -> {
                shared.prefix.start(now);
                shared.list.begun(watch);
            });
        } finally {
            if (!isTaken) {
                unwatch(prefix, shared, watch);
            }
        }
        if (!isTaken) {
            throw client.lifecycle().closedException();
        }
        return watch;
    }

    private Followed<T, L> follow(RecordKey prefix) {
        FollowingSettings settings =
                new FollowingSettings(client.timing(), client.traits().expiry(), most);
        FollowingMachine<T> machine = new FollowingMachine<>(prefix, settings, readings.apply(prefix), entropy);
        L list = lists.apply(prefix);
        return new Followed<>(list, new FollowedPrefix<>(client, machine, list));
    }

    private void unwatch(RecordKey prefix, Followed<T, L> which, FollowedList.Watcher watch) {
        boolean isLast;
        synchronized (this) {
            which.list.remove(watch);
            isLast = which.list.watches().isEmpty() && followed.remove(prefix, which);
        }
        if (isLast) {
            client.loop().post(now -> which.prefix.close());
        }
    }

    /** What is known of {@code prefix}; null if nobody watches it. */
    synchronized @Nullable L known(RecordKey prefix) {
        Followed<T, L> found = followed.get(prefix);
        return found == null ? null : found.list;
    }

    private synchronized List<Followed<T, L>> all() {
        return List.copyOf(followed.values());
    }

    /** An event failed on the loop, where this is called. */
    void mend() {
        all().forEach(each -> each.prefix.mend());
    }

    /** The client is being closed: stops following. Any thread. */
    void closing() {
        for (Followed<T, L> each : all()) {
            each.list.watches().forEach(FollowedList.Watcher::giveUp);
            client.loop().post(now -> each.prefix.close());
        }
    }

    /** Adds the calls under way, for the caller to await; no other call begins. */
    void end(List<CompletableFuture<Void>> running) {
        for (Followed<T, L> each : all()) {
            for (FollowedList.Watcher watch : each.list.watches()) {
                CompletableFuture<Void> call = watch.end();
                if (call != null) {
                    running.add(call);
                }
            }
        }
    }
}
