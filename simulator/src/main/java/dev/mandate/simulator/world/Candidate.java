package dev.mandate.simulator.world;

import dev.mandate.engine.Action;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.ElectionSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.QueueEvent;
import dev.mandate.engine.Role;
import dev.mandate.engine.SessionAction;
import dev.mandate.engine.SessionEvent;
import dev.mandate.engine.SweepAction;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.LoadCheck;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One process: a real {@link CandidateMachine} on its clocks, what little the runtime adds, and what befalls it. */
final class Candidate implements Supplier<Now> {
    final World world;
    final int index;
    final Clock clock;
    final LeaseTiming timing;
    final Post[] posts;
    /** Its part in the service, in this life; null if there is none. */
    @Nullable
    Registrant registrant;

    /** Its part in the queues, in this life; null if there are none. */
    @Nullable
    Waiter waiter;

    private final Announcements announcements;

    /** Counts its lives. */
    int epoch;

    boolean isUp;
    boolean isGoneForEver;
    boolean isFrozen;
    private long frozenAt;
    long thawedAt;
    boolean isCutOut;
    boolean isCutIn;
    /** Its reads are lost, its writes are not. */
    boolean isBlind;
    /** Its writes are lost, its reads are not. */
    boolean isMute;

    boolean isRefused;
    /** It has no right to any queue. */
    boolean isBarred;
    /** It may not write records of the service. */
    boolean isDenied;
    /** The true time at which its wall clock was last set ahead. */
    long steppedAheadAt = Long.MIN_VALUE;

    long noSuspensionBefore = Long.MIN_VALUE;
    long noStepBackBefore = Long.MIN_VALUE;
    boolean isClosing;
    long closeBy;
    /** The true time of its next tick. */
    long wakeAt = Long.MAX_VALUE;

    private long wakeNanos = Long.MAX_VALUE;
    LoadCheck load;
    Traffic traffic;
    CandidateMachine machine;
    ElectionSettings settings;
    final Sessions sessions;
    private final boolean[] known;
    private final ArrayDeque<Step> inbox = new ArrayDeque<>();
    /** The machine's actions that are still to be carried out. */
    private final ArrayDeque<Action> due = new ArrayDeque<>();

    private boolean isActing;
    /** The request of the page that is awaited. */
    private long listing = -1;

    Candidate(World world, int index, Clock clock) {
        this.world = world;
        this.index = index;
        this.clock = clock;
        this.timing = world.knobs.timings[index];
        this.posts = new Post[world.knobs.elections];
        this.known = new boolean[world.knobs.elections];
        this.announcements = new Announcements(this);
        this.sessions = new Sessions(this);
        this.settings = Settings.of(this);
        this.machine = newMachine();
        this.load = newLoad();
        this.traffic = new Traffic(this);
    }

    private CandidateMachine newMachine() {
        CandidateMachine made =
                new CandidateMachine(settings, world.random::nextLong, world.knobs.idleMax, this::meets);
        made.onWatch(world.knobs.watch, get());
        return made;
    }

    private void meets(RecordKey key, Role role, ElectionEvent event) {
        if (Lines.isOf(key)) {
            return;
        }
        world.coverage.met(role, EventClass.of(event));
        if (waiter != null && event instanceof ElectionEvent.Placed placed) {
            waiter.places(key, placed.place());
        }
    }

    private LoadCheck newLoad() {
        int requests = 2
                * (timing.requestsPerLease(
                                // A place costs as much as an election.
                                posts.length * (world.knobs.queue == null ? 1 : 2) + (world.service == null ? 0 : 1),
                                world.knobs.kind.isBySession())
                        + Settings.renewalsMore(this));
        return new LoadCheck(
                "candidate " + index,
                timing.leaseNanos(),
                requests,
                2 * timing.requestsPerLease(0, true),
                3 * requests,
                world.judge);
    }

    /** Starts a new process with a new client. */
    void start() {
        epoch++;
        isUp = true;
        isFrozen = false;
        isClosing = false;
        clock.wakeUp(world.now);
        inbox.clear();
        sessions.begin();
        settings = Settings.of(this);
        machine = newMachine();
        load = newLoad();
        traffic = new Traffic(this);
        Service service = world.service;
        waiter = world.knobs.queue == null ? null : new Waiter(this);
        registrant = service == null ? null : new Registrant(this, service);
        for (int e = 0; e < posts.length; e++) {
            known[e] = false;
            posts[e] = new Post(this, e);
        }
    }

    /** The process is gone at once. */
    void crash() {
        isUp = false;
        isFrozen = false;
        inbox.clear();
        wakeAt = Long.MAX_VALUE;
        world.forget(this);
        for (Post post : posts) {
            if (post.reign != null) {
                post.reign.isWorking = false;
            }
        }
    }

    @Override
    public Now get() {
        return clock.now(world.now);
    }

    /** The true time until which it could see what happens. */
    long ranUntil() {
        return isFrozen ? frozenAt : world.now;
    }

    /** Whether it has run long enough to have been woken. */
    boolean runs() {
        return !isFrozen && world.now - thawedAt > world.knobs.wakeLagMax + 1;
    }

    boolean isKnown(int election) {
        return known[election];
    }

    // ---- freezing ----

    /** Stops the process, and with {@code suspended} its monotonic clock too. */
    void freeze(boolean suspended) {
        isFrozen = true;
        wakeAt = Long.MAX_VALUE;
        if (suspended) {
            clock.fallAsleep(world.now);
        }
        frozenAt = world.now;
    }

    /** Resumes the process: all that was put off happens now, before or after its timers. */
    void thaw(boolean timersFirst, boolean dropped) {
        isFrozen = false;
        thawedAt = world.now;
        clock.wakeUp(world.now);
        for (Post post : posts) {
            post.thawed(frozenAt);
        }
        if (dropped) {
            inbox.removeIf(step -> step instanceof Answer || step instanceof HintStep || step instanceof FollowerHint);
        }
        if (timersFirst) {
            tick();
        }
        while (!inbox.isEmpty()) {
            world.queue.put(inbox.remove(), world.now);
        }
        wakeNanos = Long.MAX_VALUE;
        rearm();
    }

    void putOff(Step step) {
        inbox.add(step);
    }

    // ---- events ----

    /** The store answers one election; {@code awaited} says whether in time. */
    void deliverAnswer(Post post, ElectionEvent event, boolean awaited) {
        if (awaited) {
            deliver(post, event);
            return;
        }
        // All that is due at this instant comes first, so that later effects are due to the answer.
        int life = epoch;
        known[post.election] = true;
        try {
            carryOut(machine.onClocksMoved(get()));
            if (!isUp || epoch != life) {
                return;
            }
            List<Object> before = post.state();
            List<Action> actions = machine.on(post.key, event, get());
            world.works.hearsLate("candidate " + index + " in election " + post.election, before, post.state());
            carryOut(actions);
        } catch (RuntimeException | AssertionError e) {
            threw(e);
        }
    }

    void deliver(Post post, ElectionEvent event) {
        known[post.election] = true;
        if (EventClass.of(event).isCommand()) {
            load.commanded(get().monotonicNanos());
        }
        traffic.hears(post.election, event);
        step(() -> machine.on(post.key, event, get()));
    }

    /** A write was refused without showing the record, so a look must show it. */
    void refusedBlindly() {
        load.looks(get().monotonicNanos());
    }

    void hint(Post post, Observation seen) {
        if (seen instanceof Observation.Held held
                && !held.isForeign()
                && !held.record().value().equals(post.hintedValue)) {
            post.hintedValue = held.record().value();
            load.looks(get().monotonicNanos());
        }
        deliver(post, new ElectionEvent.Hinted(seen));
    }

    void deliver(SessionEvent event) {
        world.coverage.met(EventClass.of(event));
        sessions.hears(event);
        step(() -> machine.on(event, get()));
    }

    /** Something happened to a queue. */
    void tell(QueueEvent event) {
        step(() -> machine.on(event, get()));
    }

    /** Something happened to the registration, or to a place in a queue. */
    void tellOfInstance(RecordKey key, ElectionEvent event) {
        step(() -> machine.on(key, event, get()));
    }

    void gap() {
        if (registrant != null) {
            registrant.gap();
        }
        if (waiter != null) {
            waiter.gap();
        }
        traffic.wantsLooks();
        // A gap calls for a look at every election.
        for (int e = 0; e < posts.length; e += LoadCheck.REQUESTS_PER_COMMAND) {
            load.commanded(get().monotonicNanos());
        }
        step(() -> machine.onGap(get()));
    }

    void tick() {
        Registrant follower = registrant;
        if (follower != null) {
            follower.tick();
            if (machine.wakeAtNanos() > get().monotonicNanos()) {
                wakeNanos = Long.MAX_VALUE;
                rearm();
                return;
            }
        }
        load.woke(get().monotonicNanos());
        wakeNanos = Long.MAX_VALUE;
        step(() -> machine.tick(get()));
    }

    void close() {
        load.commanded(get().monotonicNanos());
        isClosing = true;
        if (registrant != null) {
            registrant.closing();
        }
        for (Post post : posts) {
            post.stands = false;
            post.standsNext = false;
            post.observes = false;
        }
        long freed = clock.trueNanos(settings.freedNanos() + timing.leaseNanos());
        closeBy = world.now + freed;
        step(() -> machine.close(get()));
    }

    private void step(Supplier<List<Action>> event) {
        try {
            carryOut(event.get());
        } catch (RuntimeException | AssertionError e) {
            threw(e);
        }
    }

    private void threw(Throwable e) {
        StackTraceElement[] trace = e.getStackTrace();
        world.judge.violated(
                Invariant.TOTALITY, "candidate " + index + " threw " + e + (trace.length > 0 ? " at " + trace[0] : ""));
    }

    /** A page of a listing came. */
    void listed(Call call, Page<Observation> page) {
        boolean awaited =
                call.request == listing && get().monotonicNanos() - call.askedAtNanos < timing.requestTimeoutNanos();
        traffic.listed(call.request, page, false);
        step(() -> machine.onSweep(call.request, page, get()));
        for (int i = 0; awaited && i < page.items().size(); i++) {
            Observation seen = page.items().get(i);
            Reign reign = posts[World.election(seen.key())].open();
            if (reign != null) {
                reign.shown(seen, call.askedAtNanos);
            }
        }
    }

    /** A page of a listing will not come. */
    void notListed(long request, @Nullable String fault) {
        traffic.listed(request, null, fault != null);
        step(() -> machine.onSweepFailed(request, fault, get()));
    }

    // ---- actions ----

    /** Works as the loop does: actions of a nested step come after those already due. */
    private void carryOut(List<Action> actions) {
        traffic.stepped();
        world.mix(actions.size());
        due.addAll(actions);
        if (isActing) {
            return;
        }
        int life = epoch;
        isActing = true;
        try {
            // An overrun may halt the process: then it does nothing more.
            while (!due.isEmpty() && isUp && epoch == life) {
                act(due.remove());
            }
        } finally {
            isActing = false;
            due.clear();
        }
        if (waiter != null) {
            waiter.stepped();
        }
        for (Post post : posts) {
            post.lookWhetherStopped();
            post.lookAtOwnRecord();
            post.lookAtStance();
        }
        rearm();
        if (isClosing && isUp && machine.isClosed()) {
            // The process has nothing more to do and exits.
            crash();
        }
    }

    private void act(Action action) {
        if (world.log != null) {
            world.note("  machine", "candidate " + index + " " + World.text(action));
        }
        if (waiter != null && action instanceof QueueAction wanted) {
            waiter.act(wanted);
        } else if (action instanceof ElectionAction place && Lines.isOf(place.key())) {
            if (waiter != null && place instanceof ElectionAction.Request request) {
                waiter.ask(request);
            }
        } else if (action instanceof ElectionAction one && Service.isOf(one.key())) {
            if (registrant != null) {
                registrant.act(one);
            }
        } else if (action instanceof ElectionAction.Request request) {
            ask(request);
        } else if (action instanceof ElectionAction announced) {
            announcements.announce(posts[World.election(announced.key())], announced);
        } else if (action instanceof SessionAction.Request request) {
            ask(request);
        } else if (action instanceof SweepAction asked) {
            load.asked(get().monotonicNanos());
            traffic.asks(asked);
            world.mix(asked.request());
            listing = asked.request();
            world.network.request(new Call(this, asked, asked.request(), asked.from()));
        }
    }

    private void ask(ElectionAction.Request request) {
        Post post = posts[World.election(request.key())];
        long nanos = get().monotonicNanos();
        world.mix(request.request());
        announcements.asks(post, request);
        load.asked(nanos);
        traffic.asks(post.election, request);
        post.pendingRequest = request.request();
        post.pendingUntilNanos = nanos + request.timeoutNanos();
        post.tries.sent(nanos);
        world.network.request(new Call(this, request, request.request(), Cursor.START));
    }

    private void ask(SessionAction.Request request) {
        load.asked(get().monotonicNanos());
        traffic.asks(request);
        world.mix(request.request());
        if (request instanceof SessionAction.End end) {
            announcements.endsSession((SimSession) end.handle());
        }
        sessions.asks(request);
        world.network.request(new Call(this, request, request.request(), Cursor.START));
    }

    void rearm() {
        if (isFrozen || !isUp) {
            return;
        }
        long wanted = machine.wakeAtNanos();
        if (registrant != null) {
            wanted = Math.min(wanted, registrant.wakeAtNanos());
        }
        if (wanted == Long.MAX_VALUE) {
            wakeNanos = wanted;
            wakeAt = Long.MAX_VALUE;
            return;
        }
        if (wanted == wakeNanos) {
            return;
        }
        wakeNanos = wanted;
        long lag = world.knobs.wakeLagMax == 0 ? 0 : world.random.nextLong(world.knobs.wakeLagMax);
        wakeAt = Math.max(world.now + 1, clock.when(wanted, world.now) + lag);
        if (world.log != null) {
            world.note("    timer", "candidate " + index + " sleeps until " + wakeAt / 1e9);
        }
    }

    /** A caller was the first to see that the term is over: the runtime tells the machine. */
    void latched(Reign reign) {
        long delay = world.knobs.tellMax == 0 ? 0 : world.random.nextLong(world.knobs.tellMax);
        CandidateStep step = new CandidateStep(
                this, reign::tellLatched, 0x400 + reign.term.number(), () -> "sees that " + reign + " is over");
        world.queue.put(step, world.now + delay);
    }
}
