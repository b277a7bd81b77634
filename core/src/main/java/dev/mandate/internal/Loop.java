package dev.mandate.internal;

import dev.mandate.EndReason;
import dev.mandate.engine.Action;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.SessionAction;
import dev.mandate.engine.SessionEvent;
import dev.mandate.engine.SessionLease;
import dev.mandate.engine.SweepAction;
import dev.mandate.engine.SweepFault;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that owns a client's machines. It takes events in turn, reads the clocks once for each, after it has
 * taken it, and does what the machines want.
 *
 * <p>The time handed to a machine is the send time of the requests that come out of that step; they go to the store
 * right after it. If the loop is paused in between, a request leaves later than it counts, which errs on the safe side.
 *
 * <p>The only foreign code that runs here is the store's methods, which must not block. If one blocks, it stops
 * renewals and nothing else: {@link Watchdog} ends the terms.
 *
 * <p><strong>Bounds.</strong> There is one answer per request, with one request in flight per election, and one end of
 * work and one latch per term. {@link Watch} bounds hints and {@link Places} bounds places. Users' commands are refused
 * beyond {@value #COMMANDS_MAX}.
 */
final class Loop implements Host.Step, StoreCalls.Answers, Watch.Listener, Places.Listener {
    private static final int COMMANDS_MAX = 1 << 18;
    /** How many events are taken before timers are checked again. */
    private static final int BATCH = 256;
    /** The least pause between turns when the next is overdue, so that what fails in each turn costs little. */
    private static final long REST_NANOS = 1_000_000;
    /** The pause before mending is tried again after it failed. */
    private static final long MEND_NANOS = 10_000_000;

    private record Due(Action action, Now now) {}

    private final Host host;
    private final ElectionStore store;
    private final LeaseTiming timing;
    private final CandidateMachine machine;
    private final LoopListener listener;
    private final Journal journal;
    private final StoreCalls calls;
    private final Watch watch;
    /** Whether the machine believes that the watch is open. */
    private boolean isWatching;

    private final Places places;

    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger commands = new AtomicInteger();
    private volatile Host.@Nullable Drive drive;
    private volatile boolean ended;
    private volatile boolean haveClocksMoved;

    private final Timers timers = new Timers();
    /** Takes an event out once the clocks are read, and sets {@link #isTaken}; if that fails, none is lost. */
    private final Event nextEvent = this::runNextEvent;

    private final Event nextTimer = this::runNextTimer;
    private boolean isTaken;
    private final Queue<Due> due = new ArrayDeque<>();
    private boolean acting;
    private @Nullable SessionLease newestSession;
    /** An event failed, and the listener has not been told yet. */
    private boolean isToMend;
    /** It failed in such a way that all terms must end. */
    private boolean isToEnd;
    /** An event of this turn failed: what it left is taken in the next one. */
    private boolean hasFailed;

    private boolean closing;
    private long finishAtNanos = Long.MAX_VALUE;
    /** The clocks when the current turn began. */
    private Now turn;

    Loop(
            Host host,
            ElectionStore store,
            @Nullable Ordered order,
            LeaseTiming timing,
            CandidateMachine machine,
            LoopListener listener,
            Journal journal,
            Counters counters,
            java.util.function.Predicate<RecordKey> isFollowed) {
        this.host = host;
        this.turn = host.now();
        this.store = store;
        this.timing = timing;
        this.machine = machine;
        this.listener = listener;
        this.journal = journal;
        this.calls = new StoreCalls(host, this, journal, counters);
        this.watch = new Watch(store, timing, isFollowed, this::wake, journal, counters);
        this.places = new Places(order, isFollowed, this::wake, journal);
    }

    void startOn(String name) {
        drive = host.drive(name, this);
    }

    Host.@Nullable Drive drive() {
        return drive;
    }

    boolean isCurrent() {
        Host.Drive driven = drive;
        return driven != null && driven.isCurrent();
    }

    void wake() {
        Host.Drive driven = drive;
        if (driven != null) {
            driven.wake();
        }
    }

    StoreCalls calls() {
        return calls;
    }

    // ---- events, from any thread ----

    /** Queues an event whose number is bounded by its subject: an answer, an end. Dropped once the loop has ended. */
    @Override
    public void post(Event event) {
        if (!ended) {
            events.add(event);
            if (!isCurrent()) {
                wake();
            }
        }
    }

    /**
     * Queues a user's command.
     *
     * @return false if the loop has ended
     * @throws IllegalStateException if too many commands wait already
     */
    boolean command(Event event) {
        if (ended) {
            return false;
        }
        if (commands.incrementAndGet() > COMMANDS_MAX) {
            commands.decrementAndGet();
            throw new IllegalStateException(COMMANDS_MAX
                    + " commands wait for this client already, which is the limit; its loop is not keeping up");
        }
        post(now -> {
            commands.decrementAndGet();
            event.on(now);
        });
        return true;
    }

    /** The clocks ran apart: what the machine scheduled is computed anew. */
    void clocksMoved() {
        haveClocksMoved = true;
        wake();
    }

    // ---- events, on the loop ----

    /** Runs {@code event} at that time. On the loop. */
    Timers.Timer at(long atNanos, Event event) {
        return timers.at(atNanos, event);
    }

    /** Hands an event to the machine of an election, and does what it wants. On the loop. */
    @Override
    public void tell(RecordKey key, ElectionEvent event, Now now) {
        boolean isWish = event instanceof ElectionEvent.Campaign || event instanceof ElectionEvent.Observe;
        if (isWish && key.space().equals(RecordKey.ELECTIONS)) {
            watch.open(now);
            tellOfWatch(now);
            places.open(now);
        }
        act(machine.on(key, event, now), now);
        listener.stepped(key, now);
    }

    private void tellOfWatch(Now now) {
        if (watch.isOpen() != isWatching) {
            isWatching = !isWatching;
            act(machine.onWatch(isWatching, now), now);
        }
    }

    @Override
    public void hinted(RecordKey key, Observation seen, Now now) {
        tell(key, new ElectionEvent.Hinted(seen), now);
    }

    @Override
    public void gap(Now now) {
        act(machine.onGap(now), now);
    }

    @Override
    public void placed(RecordKey key, int place, Now now) {
        tell(key, new ElectionEvent.Placed(place), now);
    }

    @Override
    public void askedToLeave(RecordKey key, long term, Now now) {
        tell(key, new ElectionEvent.Resign(term, EndReason.EVICTED), now);
    }

    /** Hands an event to the session machine. On the loop. */
    @Override
    public void tell(SessionEvent event, Now now) {
        act(machine.on(event, now), now);
    }

    @Override
    public void answered(ElectionAction.Request request, ElectionEvent answer, Now now) {
        long askedNanos = machine.askedNanos(request.key(), request.request(), now);
        if (askedNanos != Long.MIN_VALUE) {
            listener.heard(request.key(), askedNanos, now);
        }
        tell(request.key(), answer, now);
        if (askedNanos != Long.MIN_VALUE) {
            listener.known(request.key());
        }
    }

    /** The machine, to read. On the loop. */
    CandidateMachine machine() {
        return machine;
    }

    /** Does what the machine wants. On the loop. */
    void act(List<Action> actions, Now now) {
        for (Action action : actions) {
            due.add(new Due(action, now));
        }
        if (acting) {
            return;
        }
        acting = true;
        try {
            for (Due next = due.poll(); next != null && !ended; next = due.poll()) {
                perform(next.action, next.now);
            }
        } finally {
            acting = false;
        }
    }

    private void perform(Action action, Now now) {
        if (action instanceof ElectionAction.Request request) {
            if (request instanceof ElectionAction.Acquire acquire && acquire.session() != null) {
                newestSession = acquire.session();
            }
            calls.send(store, request, now);
            if (!(request instanceof ElectionAction.Update)) {
                // A leader goes on leading.
                listener.stepped(request.key(), now);
            }
        } else if (action instanceof SessionAction.Request request) {
            calls.send(store, request, now);
        } else if (action instanceof SessionAction.Fault fault) {
            listener.sessionFault(fault.message());
        } else if (action instanceof SweepAction request) {
            calls.send(store, request, now);
        } else if (action instanceof SweepFault fault) {
            listener.listingFault(fault.message());
        } else if (action instanceof QueueAction wanted) {
            listener.queued(wanted, now);
        } else if (action instanceof ElectionAction.Stood stood) {
            places.stands(stood.key(), stood.stance(), now);
        } else if (action instanceof ElectionAction announcement) {
            listener.announced(announcement, newestSession, now);
            listener.stepped(announcement.key(), now);
        }
    }

    @Override
    public void swept(SweepAction asked, Page<Observation> page, Now now) {
        long askedNanos = machine.askedNanos(asked.request());
        if (askedNanos != Long.MIN_VALUE) {
            page.items().forEach(seen -> listener.heard(seen.key(), askedNanos, now));
        }
        act(machine.onSweep(asked.request(), page, now), now);
        if (askedNanos != Long.MIN_VALUE) {
            page.items().forEach(seen -> listener.known(seen.key()));
        }
    }

    @Override
    public void sweepFailed(SweepAction asked, @Nullable String fault, Now now) {
        act(machine.onSweepFailed(asked.request(), fault, now), now);
    }

    // ---- turns ----

    @Override
    public long step() {
        if (ended) {
            return DONE;
        }
        turn = host.now();
        if (isToMend) {
            mend();
        }
        hasFailed = false;
        isTaken = true;
        for (int i = 0; i < BATCH && isTaken && !events.isEmpty(); i++) {
            isTaken = false;
            run(nextEvent);
        }
        run(begun -> {
            isTaken = true;
            while (isTaken && timers.firstAtNanos() <= begun.monotonicNanos()) {
                isTaken = false;
                run(nextTimer);
            }
        });
        run(begun -> {
            watch.deliver(this, this::now);
            tellOfWatch(begun);
        });
        if (places.isOrdered()) {
            run(begun -> places.deliver(this, this::now));
        }
        run(now -> {
            if (haveClocksMoved) {
                haveClocksMoved = false;
                act(machine.onClocksMoved(now), now);
            }
            if (machine.wakeAtNanos() <= now.monotonicNanos()) {
                act(machine.tick(now), now);
            }
        });
        Now now = now();
        listener.turned(now);
        boolean isOver = machine.isClosed() && listener.isDone();
        if (closing && (isOver || now.monotonicNanos() >= finishAtNanos)) {
            finish();
            return DONE;
        }
        if (hasFailed) {
            return now.monotonicNanos() + REST_NANOS;
        }
        return events.isEmpty() ? wakeAtNanos(now.monotonicNanos()) : now.monotonicNanos();
    }

    private long wakeAtNanos(long nowNanos) {
        long wake = Math.min(machine.wakeAtNanos(), watch.wakeAtNanos());
        wake = Math.min(wake, timers.firstAtNanos());
        wake = isToMend ? Math.min(wake, nowNanos + MEND_NANOS) : wake;
        wake = Math.min(wake, Math.min(finishAtNanos, listener.wakeAtNanos()));
        // An overdue time must not be taken for DONE, either.
        return wake <= nowNanos ? nowNanos + REST_NANOS : wake;
    }

    /**
     * The clocks, read now. A suspension since this turn began may not show: then sends count from too early, and
     * anybody who believes in a term reads the clocks again.
     */
    private Now now() {
        return host.since(turn);
    }

    private void runNextEvent(Now now) {
        isTaken = true;
        events.remove().on(now);
    }

    private void runNextTimer(Now now) {
        isTaken = true;
        timers.runNext(now);
    }

    /** A failing event must not keep the next one from running. */
    private void run(Event event) {
        if (ended) {
            return;
        }
        try {
            event.on(now());
        } catch (Throwable e) {
            journal.warn("an event failed on the loop; please report this", e);
            hasFailed = true;
            isToMend = true;
            // Out of memory or stack, or a failed assertion: beliefs may not match what was done.
            isToEnd |= e instanceof Error;
            mend();
        }
    }

    /** Mends what failed half way from the machines' state, not from what happened; now, or once that works. */
    private void mend() {
        if (ended) {
            return;
        }
        try {
            Now now = host.now();
            // First what was announced and not yet passed on.
            act(List.of(), now);
            if (listener.failed(isToEnd, now)) {
                isToMend = false;
                isToEnd = false;
            }
        } catch (Throwable e) {
            // It remains to be done.
        }
    }

    // ---- the end ----

    /** Begins to close: withdraws from everything, and ends within the drain budget and four request time-outs. */
    void close() {
        post(now -> {
            if (!closing) {
                closing = true;
                finishAtNanos = now.monotonicNanos() + timing.drainTimeoutNanos() + 4 * timing.requestTimeoutNanos();
                act(machine.close(now), now);
            }
        });
    }

    /** How long after {@link #close} the loop ends by itself, unless a store's method blocks. */
    long closeNanos() {
        return timing.drainTimeoutNanos() + 4 * timing.requestTimeoutNanos();
    }

    private void finish() {
        ended = true;
        watch.close();
        places.close();
        try {
            store.close();
        } catch (Throwable e) {
            journal.warn("failed to close the store", e);
        }
        listener.finished();
        events.clear();
    }

    /** No other turn runs, whatever still hangs in this one. Any thread. */
    void abandon() {
        ended = true;
    }
}
