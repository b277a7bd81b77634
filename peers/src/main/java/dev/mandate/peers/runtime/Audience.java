package dev.mandate.peers.runtime;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.HintDelivery;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The watches and place listeners of a node's clients: they are notified of what its voter accepted, and of their
 * places. Added and removed on any thread; notified on the node's.
 */
public final class Audience {
    private final int linksNeeded;
    private final Consumer<Boolean> watched;
    private final AtomicInteger links = new AtomicInteger();
    private final List<Watch> watches = new CopyOnWriteArrayList<>();
    private final ReentrantLock watching = new ReentrantLock();
    private final List<Place> places = new CopyOnWriteArrayList<>();

    private record Watch(RecordKey prefix, HintDelivery delivery) {}

    /** A listener that is not called any more once it is closed. */
    private static final class Place {
        private final Ordered.Listener listener;
        private final ReentrantLock telling = new ReentrantLock();
        private boolean closed;

        Place(Ordered.Listener listener) {
            this.listener = listener;
        }

        void tell(Consumer<Ordered.Listener> what) {
            telling.lock();
            try {
                if (!closed) {
                    what.accept(listener);
                }
            } catch (RuntimeException | Error e) {
                // This place is lost, which is allowed; the node goes on.
                NodeLog.log(System.Logger.Level.WARNING, "a listener of places failed", e);
            } finally {
                telling.unlock();
            }
        }

        void close() {
            telling.lock();
            try {
                closed = true;
            } finally {
                telling.unlock();
            }
        }
    }

    /** With fewer than {@code linksNeeded} links, changes are missed; {@code watched} gets whether there is a watch. */
    Audience(int linksNeeded, Consumer<Boolean> watched) {
        this.linksNeeded = linksNeeded;
        this.watched = watched;
    }

    /** Like {@link dev.mandate.spi.ElectionStore#watch}. */
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        Watch watch = new Watch(prefix, new HintDelivery(hints));
        watching(() -> watches.add(watch));
        return () -> {
            watching(() -> watches.remove(watch));
            watch.delivery.close();
        };
    }

    /** Reports changes in their order: the end of one watch must not overtake the beginning of another. */
    private void watching(Runnable change) {
        watching.lock();
        try {
            change.run();
            watched.accept(!watches.isEmpty());
        } finally {
            watching.unlock();
        }
    }

    /** Like {@link Ordered#places}. */
    public Subscription places(Ordered.Listener listener) {
        Place place = new Place(listener);
        places.add(place);
        return () -> {
            places.remove(place);
            place.close();
        };
    }

    void changed(Observation observation) {
        for (Watch watch : watches) {
            if (observation.key().isBelow(watch.prefix)) {
                deliver(watch, new Hint.Seen(observation));
            }
        }
    }

    /** A link to a member came up or went down. */
    void linked(boolean isUp) {
        int now = isUp ? links.incrementAndGet() : links.decrementAndGet();
        if (isUp && now == linksNeeded) {
            // With fewer links, the others may have gone on without this node.
            watches.forEach(watch -> deliver(watch, Hint.Gap.INSTANCE));
        }
    }

    private static void deliver(Watch watch, Hint hint) {
        try {
            watch.delivery.deliver(hint);
        } catch (RuntimeException | Error e) {
            // This hint is lost, which is allowed; the node goes on.
            NodeLog.log(System.Logger.Level.WARNING, "a watch failed", e);
        }
    }

    void placed(RecordKey key, int place) {
        places.forEach(each -> each.tell(listener -> listener.placed(key, place)));
    }

    void askedToLeave(RecordKey key, long term) {
        places.forEach(each -> each.tell(listener -> listener.askedToLeave(key, term)));
    }
}
