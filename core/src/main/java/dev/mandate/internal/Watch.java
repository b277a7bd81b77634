package dev.mandate.internal;

import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One of the client's watches: over all elections, or over one prefix that it follows. It opens when first needed,
 * reopens when it broke, and keeps what it hears until the loop takes it. Only the newest hint per key waits; if more
 * than {@value #KEYS_MAX} keys have one, they become a gap, after which everything is read.
 */
final class Watch {
    static final int KEYS_MAX = 10_000;
    private static final long REOPEN_MAX_NANOS = 30_000_000_000L;

    private final ElectionStore store;
    private final Function<Consumer<Hint>, Subscription> watches;
    private final Predicate<RecordKey> isFollowed;
    private final Runnable wake;
    private final Journal journal;
    private final Counters counters;
    private final long spacingNanos;

    /** Guards the three fields below, which the store's threads fill. */
    private final Object lock = new Object();

    private Map<RecordKey, Observation> seen = new LinkedHashMap<>();
    private boolean gap;
    private @Nullable String broken;

    // On the loop alone.
    /** Taken; not delivered yet because the clock could not be read. */
    private Map<RecordKey, Observation> taken = Map.of();

    private @Nullable String lost;
    private @Nullable Subscription subscription;
    private boolean isNeeded;
    private boolean isClosed;
    private long openedAtNanos;
    private long openAtNanos = Long.MAX_VALUE;
    private long pauseNanos;
    private long gapAtNanos = Long.MIN_VALUE;
    private boolean gapWaits;

    /** Over all elections that this client uses. */
    Watch(
            ElectionStore store,
            LeaseTiming timing,
            Predicate<RecordKey> isFollowed,
            Runnable wake,
            Journal journal,
            Counters counters) {
        this(store, hints -> store.watch(RecordKey.elections(), hints), timing, isFollowed, wake, journal, counters);
    }

    /** Over everything below {@code prefix}. */
    Watch(
            ElectionStore store,
            RecordKey prefix,
            LeaseTiming timing,
            Runnable wake,
            Journal journal,
            Counters counters) {
        this(
                store,
                hints -> store.watchAll(prefix, hints),
                timing,
                key -> key.isBelow(prefix),
                wake,
                journal,
                counters);
    }

    private Watch(
            ElectionStore store,
            Function<Consumer<Hint>, Subscription> watches,
            LeaseTiming timing,
            Predicate<RecordKey> isFollowed,
            Runnable wake,
            Journal journal,
            Counters counters) {
        this.store = store;
        this.watches = watches;
        this.isFollowed = isFollowed;
        this.wake = wake;
        this.journal = journal;
        this.counters = counters;
        // Gaps are reported no closer together than retries are spaced.
        this.spacingNanos = timing.retryIntervalNanos();
        this.pauseNanos = spacingNanos;
    }

    /** Opens the watch when first needed. On the loop. */
    void open(Now now) {
        if (!isNeeded && !isClosed && store.traits().watches()) {
            isNeeded = true;
            openNow(now);
        }
    }

    private void openNow(Now now) {
        openAtNanos = Long.MAX_VALUE;
        openedAtNanos = now.monotonicNanos();
        try {
            subscription = watches.apply(this::accept);
        } catch (Throwable e) {
            journal.outage("failed to open the watch", e, now.monotonicNanos());
            openLater(now);
        }
    }

    private void openLater(Now now) {
        boolean hasLived = now.monotonicNanos() - openedAtNanos > REOPEN_MAX_NANOS;
        pauseNanos = hasLived ? spacingNanos : Math.min(REOPEN_MAX_NANOS, 2 * pauseNanos);
        openAtNanos = now.monotonicNanos() + pauseNanos;
    }

    /** On any thread. */
    private void accept(Hint hint) {
        synchronized (lock) {
            if (hint instanceof Hint.Seen news) {
                RecordKey key = news.observation().key();
                if (!isFollowed.test(key)) {
                    return;
                }
                if (seen.size() >= KEYS_MAX && !seen.containsKey(key)) {
                    seen.clear();
                    gap = true;
                } else if (!gap) {
                    seen.put(key, news.observation());
                }
            } else if (hint instanceof Hint.Closed closed) {
                broken = closed.reason();
            } else {
                gap = true;
            }
        }
        wake.run();
    }

    /** Receives what is heard. */
    interface Listener {
        /** Somebody changed this record; it was seen before {@code now}. */
        void hinted(RecordKey key, Observation seen, Now now);

        /** Something may have been missed. */
        void gap(Now now);
    }

    /**
     * Delivers what was heard, and reopens the watch when it is time. On the loop.
     *
     * @param clock read after the hints were taken: a challenger counts from when it saw something, never from earlier
     */
    void deliver(Listener listener, Supplier<Now> clock) {
        take();
        deliver(listener, clock.get());
    }

    private void take() {
        synchronized (lock) {
            if (!seen.isEmpty()) {
                Map<RecordKey, Observation> fresh = new LinkedHashMap<>();
                taken.forEach(seen::putIfAbsent);
                taken = seen;
                seen = fresh;
            }
            if (taken.size() > KEYS_MAX) {
                taken = Map.of();
                gap = true;
            }
            gapWaits |= gap;
            gap = false;
            lost = broken == null ? lost : broken;
            broken = null;
        }
    }

    private void deliver(Listener listener, Now now) {
        String reason = lost;
        if (reason != null) {
            lost = null;
            journal.outage("watch lost, falling back to polling: " + reason, null, now.monotonicNanos());
            closeQuietly();
            openLater(now);
        }
        if (now.monotonicNanos() >= openAtNanos) {
            openNow(now);
            gapWaits = true;
            if (isOpen()) {
                counters.watchReopened();
            }
        }
        Map<RecordKey, Observation> heard = taken;
        taken = Map.of();
        // If looking at one fails, the others are read.
        boolean mayGap = gapWaits;
        gapWaits |= !heard.isEmpty();
        heard.forEach((key, observation) -> listener.hinted(key, observation, now));
        gapWaits = mayGap;
        if (gapWaits && now.monotonicNanos() >= gapAtNanos) {
            gapAtNanos = now.monotonicNanos() + spacingNanos;
            counters.watchGap();
            listener.gap(now);
            gapWaits = false;
        }
    }

    /** Whether the store reports changes, as far as known. On the loop. */
    boolean isOpen() {
        return subscription != null && subscription != Subscription.NONE;
    }

    /** When {@link #deliver} is next needed, if nothing is heard before; it may be long past. On the loop. */
    long wakeAtNanos() {
        if (lost != null || !taken.isEmpty()) {
            return Long.MIN_VALUE;
        }
        return gapWaits ? Math.min(gapAtNanos, openAtNanos) : openAtNanos;
    }

    /** On the loop. Nothing is delivered afterwards. */
    void close() {
        isClosed = true;
        openAtNanos = Long.MAX_VALUE;
        closeQuietly();
    }

    private void closeQuietly() {
        Subscription open = subscription;
        subscription = null;
        if (open != null) {
            try {
                open.close();
            } catch (Throwable e) {
                journal.warn("failed to close the watch", e);
            }
        }
    }
}
