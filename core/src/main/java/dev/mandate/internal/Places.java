package dev.mandate.internal;

import dev.mandate.engine.Now;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import dev.mandate.spi.Subscription;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects the client with a store that says who tries first. Keeps what the store says until the loop takes it: for
 * each election that this client takes part in, the newest place, and the newest term that somebody would like to end.
 * With any other store this does nothing. If the store fails here, everybody waits for the last turn.
 */
final class Places implements Ordered.Listener {
    private final @Nullable Ordered order;
    private final Predicate<RecordKey> isFollowed;
    private final Runnable wake;
    private final Journal journal;

    /** Guards the two fields below, which the store's threads fill. */
    private final Object lock = new Object();

    private final Map<RecordKey, Integer> placed = new LinkedHashMap<>();
    private final Map<RecordKey, Long> askedToLeave = new LinkedHashMap<>();

    // On the loop alone.
    /** Taken, and not delivered yet, like the next. */
    private final Map<RecordKey, Integer> toPlace = new LinkedHashMap<>();

    private final Map<RecordKey, Long> toLeave = new LinkedHashMap<>();
    private @Nullable Subscription subscription;
    private boolean isClosed;

    /** Receives what the store says. On the loop. */
    interface Listener {
        /** The candidate's place for the current vacancy. */
        void placed(RecordKey key, int place, Now now);

        /** Somebody would like that term to end. */
        void askedToLeave(RecordKey key, long term, Now now);
    }

    Places(@Nullable Ordered order, Predicate<RecordKey> isFollowed, Runnable wake, Journal journal) {
        this.order = order;
        this.isFollowed = isFollowed;
        this.wake = wake;
        this.journal = journal;
    }

    /** Whether the store says who tries first. */
    boolean isOrdered() {
        return order != null;
    }

    /** Subscribes to the store's news when first needed. On the loop. */
    void open(Now now) {
        if (order == null || subscription != null || isClosed) {
            return;
        }
        try {
            subscription = order.places(this);
        } catch (Throwable e) {
            journal.outage("the store does not say who tries first", e, now.monotonicNanos());
        }
    }

    /** Tells the store this client's new stance. On the loop. */
    void stands(RecordKey key, Stance stance, Now now) {
        if (order == null) {
            return;
        }
        try {
            order.stands(key, stance);
        } catch (Throwable e) {
            journal.outage("the store was not told who wants to lead", e, now.monotonicNanos());
        }
    }

    @Override
    public void placed(RecordKey key, int place) {
        if (isFollowed.test(key)) {
            synchronized (lock) {
                placed.put(key, place);
            }
            wake.run();
        }
    }

    @Override
    public void askedToLeave(RecordKey key, long term) {
        if (isFollowed.test(key)) {
            synchronized (lock) {
                askedToLeave.put(key, term);
            }
            wake.run();
        }
    }

    /**
     * Delivers what the store said. On the loop.
     *
     * @param clock read after the news was taken: a wait counts from then, never from before
     */
    void deliver(Listener listener, Supplier<Now> clock) {
        synchronized (lock) {
            take(placed, toPlace);
            take(askedToLeave, toLeave);
        }
        if (toPlace.isEmpty() && toLeave.isEmpty()) {
            return;
        }
        Now now = clock.get();
        each(toLeave, (key, term) -> listener.askedToLeave(key, term, now));
        each(toPlace, (key, place) -> listener.placed(key, place, now));
    }

    private static <T> void take(Map<RecordKey, T> from, Map<RecordKey, T> to) {
        to.putAll(from);
        from.clear();
    }

    /** Delivers each once: one that fails leaves the next ones for the next turn. */
    private static <T> void each(Map<RecordKey, T> taken, BiConsumer<RecordKey, T> deliver) {
        for (Iterator<Map.Entry<RecordKey, T>> left = taken.entrySet().iterator(); left.hasNext(); ) {
            Map.Entry<RecordKey, T> next = left.next();
            left.remove();
            deliver.accept(next.getKey(), next.getValue());
        }
    }

    /** On the loop. Nothing is delivered afterwards. */
    void close() {
        isClosed = true;
        Subscription open = subscription;
        subscription = null;
        if (open != null) {
            try {
                open.close();
            } catch (Throwable e) {
                journal.warn("failed to close the store's order", e);
            }
        }
    }
}
