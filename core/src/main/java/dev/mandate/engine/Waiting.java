package dev.mandate.engine;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One election in which a client waits for its turn: the queue as it is known, and the machine that follows it. */
final class Waiting implements Comparable<Waiting> {
    private final long number;
    private final RecordKey election;
    private final RecordKey prefix;
    private final RecordKey place;
    private final Queue queue;
    private final FollowingMachine<Queue.Place> following;

    /** Whether the client has a place, or has lost it and not listed since. */
    private boolean isPlaced;
    /** A listing that began earlier may lack what lost hints showed, so that a place by number could come too early. */
    private long listedFromNanos = Long.MIN_VALUE;

    /** Its key in the order of wakes; changed only while it is not in there. */
    private long wakeAtNanos = Long.MAX_VALUE;

    /** {@code place} is the client's own key; {@code number} is unique among queues. */
    Waiting(long number, RecordKey election, RecordKey place, ElectionSettings settings, Entropy entropy) {
        this.number = number;
        this.election = election;
        this.prefix = RecordKey.queue(election.name());
        this.place = place;
        QueueOrder order = settings.queue() == null ? QueueOrder.BY_NUMBER : settings.queue();
        this.queue = new Queue(order);
        // A place that is wrong for a while costs milliseconds. If all that wait listed whenever one of them goes,
        // that would cost more.
        FollowingSettings follows =
                new FollowingSettings(settings.timing(), settings.expiry(), false, FollowingSettings.RECORDS_MAX);
        this.following =
                new FollowingMachine<>(prefix, follows, (held, isVerified, before) -> queue.read(held), entropy);
    }

    long number() {
        return number;
    }

    RecordKey election() {
        return election;
    }

    /** The key of the client's own place. */
    RecordKey place() {
        return place;
    }

    Queue queue() {
        return queue;
    }

    /** Whether a complete listing has shown the queue. */
    boolean isKnown() {
        return following.isKnown();
    }

    /** Whether it is known who came last: a listing that began after the last place was lost was complete. */
    boolean isUpToDate() {
        return isKnown() && confirmedNanos() >= listedFromNanos;
    }

    /** When the last complete listing began. */
    long confirmedNanos() {
        return following.confirmedNanos();
    }

    /** How many wait in front of the client, whose place {@code held} shows. */
    int placeOf(Observation.Held held) {
        return queue.placeOf(isKnown() ? queue.read(held) : null);
    }

    // ---- what happens ----

    QueueAction.Follow follow() {
        return new QueueAction.Follow(number, prefix);
    }

    QueueAction.Leave leave() {
        return new QueueAction.Leave(number);
    }

    /** Returns whether the queue has changed. */
    boolean start(Now now, List<Action> out) {
        return take(following.start(now), out);
    }

    boolean on(QueueEvent event, Now now, List<Action> out) {
        if (event instanceof QueueEvent.Watched e) {
            return take(following.onWatch(e.isOpen(), now), out);
        } else if (event instanceof QueueEvent.Hinted e) {
            return take(following.onHint(e.seen(), now), out);
        } else if (event instanceof QueueEvent.Listed e) {
            return take(following.listed(e.request(), e.page(), now), out);
        } else if (event instanceof QueueEvent.NotListed e) {
            return take(following.notListed(e.request(), e.fault(), now), out);
        }
        return take(following.onGap(now), out);
    }

    /** The client has its place. */
    void placed() {
        isPlaced = true;
    }

    /**
     * The client has no place; if it had one, it lists the queue before it takes the next. Returns whether the
     * queue has changed.
     */
    boolean unplaced(Now now, List<Action> out) {
        if (!isPlaced) {
            return false;
        }
        isPlaced = false;
        listedFromNanos = now.monotonicNanos();
        return take(following.list(now), out);
    }

    boolean tick(Now now, List<Action> out) {
        return take(following.tick(now), out);
    }

    private boolean take(List<Action> wanted, List<Action> out) {
        boolean hasChanged = false;
        for (Action action : wanted) {
            if (action instanceof SweepAction page) {
                out.add(new QueueAction.ListPage(number, prefix, page.request(), page.timeoutNanos(), page.from()));
            } else if (action instanceof SweepFault fault) {
                out.add(new QueueAction.Fault(number, prefix, fault.message()));
            } else if (action instanceof FollowingAction.Changed<?> changed) {
                hasChanged = true;
                changed.changes().forEach(each -> queue.put(each.key(), (Queue.@Nullable Place) each.after()));
            }
        }
        return hasChanged;
    }

    // ---- when ----

    /** When {@link #tick} is wanted, as of the last event. */
    long wantedNanos() {
        return following.wakeAtNanos();
    }

    long wakeAtNanos() {
        return wakeAtNanos;
    }

    void wakeAt(long nanos) {
        wakeAtNanos = nanos;
    }

    @Override
    public int compareTo(Waiting other) {
        int byWake = Long.compare(wakeAtNanos, other.wakeAtNanos);
        return byWake != 0 ? byWake : Long.compare(number, other.number);
    }

    // Consistent with compareTo: each number exists once.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
