package dev.mandate.simulator.groups;

import dev.mandate.EndReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.Action;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.ElectionSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Role;
import dev.mandate.peers.node.Call;
import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Value;
import dev.mandate.peers.register.WriteId;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.LoadCheck;
import dev.mandate.simulator.world.GroupFault;
import dev.mandate.spi.Basis;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The client of one process: a {@link CandidateMachine}, and what runtime and store do between it and the node. */
final class Client {
    final GroupWorld world;
    final Member process;
    final LeaseTiming timing;
    Post[] posts = {};
    CandidateMachine machine;
    private ElectionSettings settings;
    private LoadCheck load;
    private final Map<Long, Asked> asked = new HashMap<>();

    /** A call in progress: its request, and its number in the register's checker. */
    private record Asked(ElectionAction.Request request, long check) {}

    Client(Member process) {
        this.process = process;
        this.world = process.world;
        this.timing = world.knobs.timings[process.index];
        this.settings = settings();
        this.machine = machine();
        this.load = load();
    }

    private ElectionSettings settings() {
        return new ElectionSettings(
                GroupWorld.name(process.index),
                new Id(world.random.nextLong(), world.random.nextLong() | 1),
                timing,
                Expiry.OBSERVER_JUDGES,
                LeaseScope.RECORD,
                (long) (timing.leaseNanos() * GroupKnobs.Q),
                0,
                Settle.NEVER,
                0,
                OverrunPolicy.RELEASE,
                world.knobs.scheme.isOrdered());
    }

    private CandidateMachine machine() {
        CandidateMachine made = new CandidateMachine(settings, world.random::nextLong);
        made.onWatch(true, process.now());
        return made;
    }

    private LoadCheck load() {
        int requests = 2 * timing.requestsPerLease(world.knobs.elections, false);
        return new LoadCheck(process.toString(), timing.leaseNanos(), requests, 0, 3 * requests, world.judge);
    }

    private long nanos() {
        return process.now().monotonicNanos();
    }

    // ---- life ----

    void start() {
        settings = settings();
        machine = machine();
        load = load();
        asked.clear();
        posts = new Post[world.knobs.elections];
        for (int e = 0; e < posts.length; e++) {
            posts[e] = new Post(this, e);
        }
    }

    void stand() {
        for (Post post : posts) {
            campaign(post);
        }
    }

    void campaign(Post post) {
        // A candidate whose lease is longer than the group grants cannot lead, so it gives up in the end.
        boolean mayLead = !world.isHealed || process.index != world.knobs.tooLong;
        if (!post.stands && post.callbacks.isSilent() && mayLead && !world.knobs.isOperator(process.index)) {
            post.stands = true;
            post.callbacks.campaigned();
            command(post, new ElectionEvent.Campaign("v" + process.index));
        }
    }

    void withdraw(Post post) {
        if (post.stands) {
            post.stands = false;
            command(post, new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
        }
    }

    void proclaim(Post post) {
        GroupReign reign = post.open();
        if (reign != null) {
            post.callbacks.proclaims(++post.proclaims);
            command(post, new ElectionEvent.Proclaim(post.proclaims, reign.term.number(), "p" + post.proclaims));
        }
    }

    void resign(Post post, EndReason why) {
        GroupReign reign = post.open();
        if (reign != null) {
            command(post, new ElectionEvent.Resign(reign.term.number(), why));
        }
    }

    void crashed() {
        for (Post post : posts) {
            if (post.reign != null) {
                post.reign.isWorking = false;
            }
        }
        asked.clear();
        world.forget(process);
    }

    // ---- what happens ----

    private void command(Post post, ElectionEvent event) {
        load.commanded(nanos());
        on(post, event);
    }

    private void on(Post post, ElectionEvent event) {
        carryOut(machine.on(post.key, event, process.now()));
    }

    void tick() {
        if (nanos() >= machine.wakeAtNanos()) {
            load.woke(nanos());
            carryOut(machine.tick(process.now()));
        }
    }

    /** Hints may have been missed. */
    void gap() {
        for (Post ignored : posts) {
            load.commanded(nanos());
        }
        carryOut(machine.onGap(process.now()));
    }

    void hint(Observation seen) {
        Post post = posts[GroupWorld.election(seen.key())];
        if (seen instanceof Observation.Held held && !held.record().value().equals(post.hintedValue)) {
            post.hintedValue = held.record().value();
            load.looks(nanos());
        }
        on(post, new ElectionEvent.Hinted(seen));
    }

    void placed(RecordKey key, int place) {
        Post post = posts[GroupWorld.election(key)];
        post.placeByNanos = Long.MAX_VALUE;
        if (settings.ordered()) {
            post.turns.placed(place, nanos());
            on(post, new ElectionEvent.Placed(place));
        }
    }

    void askedToLeave(RecordKey key, long term) {
        world.fired(GroupFault.ASKED_TO_LEAVE);
        command(posts[GroupWorld.election(key)], new ElectionEvent.Resign(term, EndReason.EVICTED));
    }

    void workStopped(GroupReign reign) {
        if (reign.isWorking) {
            reign.isWorking = false;
            on(posts[reign.election], new ElectionEvent.WorkStopped(reign.term.number()));
        }
    }

    /** After every event: reports a candidate that was not told its place in time. */
    void lookWhetherPlaced(long lateNanos) {
        for (Post post : posts) {
            if (post.placeByNanos != Long.MAX_VALUE && nanos() - post.placeByNanos > lateNanos) {
                world.judge.violated(
                        Invariant.TURN,
                        process + " wants to lead election " + post.election + " and is never told" + " its place");
            }
        }
    }

    // ---- what it wants ----

    private void carryOut(List<Action> actions) {
        for (Action action : actions) {
            if (action instanceof ElectionAction.Request request) {
                ask(request);
            } else if (action instanceof ElectionAction announced) {
                announce(posts[GroupWorld.election(announced.key())], announced);
            }
        }
        if (settings.ordered()) {
            for (Post post : posts) {
                Role role = machine.role(post.key);
                post.turns.is(
                        role instanceof Role.Leading leading ? leading.term().number() : 0,
                        role instanceof Role.Settling settling ? settling.term().number() : 0,
                        !(role instanceof Role.Idle || role instanceof Role.Stopping));
            }
        }
    }

    private void announce(Post post, ElectionAction action) {
        if (world.log != null && !(action instanceof ElectionAction.Observed)) {
            world.note("  its client: " + action);
        }
        if (action instanceof ElectionAction.Begin begin) {
            begun(post, begin);
        } else if (action instanceof ElectionAction.End end) {
            ended(post, end);
        } else if (action instanceof ElectionAction.Overrun overrun) {
            GroupReign reign = post.reign;
            if (reign != null && reign.term == overrun.term()) {
                reign.isReported = true;
            }
        } else if (action instanceof ElectionAction.Observed observed) {
            post.told = observed.view();
        } else if (action instanceof ElectionAction.Stood stood) {
            stood(post, stood.stance());
        } else if (action instanceof ElectionAction.Withdrawn) {
            post.callbacks.withdrawn(post.isWorking());
        } else if (action instanceof ElectionAction.Proclaimed proclaimed) {
            post.callbacks.proclaimed(proclaimed.command());
        }
    }

    private void begun(Post post, ElectionAction.Begin begin) {
        GroupReign reign = new GroupReign(this, post.election, begin.term());
        world.mix(begin.term().number());
        post.callbacks.begun(begin.term().number());
        world.works.begins(
                process + " in election " + post.election,
                begin.term().attempt().equals(post.attempt),
                0);
        post.reign = reign;
        world.begun(reign);
        writes(reign);
    }

    /** The work writes now and then to a resource that its token guards. */
    private void writes(GroupReign reign) {
        int life = process.life;
        long pause = world.random.nextLong(timing.leaseNanos());
        world.queue.put(world.now + pause, () -> {
            if (process.life == life && reign.isWorking && !world.isHealed) {
                process.happens(() -> {
                    world.writes(reign);
                    writes(reign);
                });
            }
        });
    }

    private void ended(Post post, ElectionAction.End end) {
        GroupReign reign = post.reign;
        post.callbacks.ended(end.term().number());
        world.mix(7 + end.reason().ordinal());
        if (reign == null || reign.term != end.term()) {
            return;
        }
        reign.isEnded = true;
        if (end.reason() != EndReason.WITHDRAWN && !end.reason().isStoreTrouble()) {
            post.coolDown(this, world.now);
        }
        world.ended(reign, end.reason());
        int life = process.life;
        long takes = (long) (timing.drainTimeoutNanos() * 0.5 * world.random.nextDouble());
        world.queue.put(world.now + process.clock.trueNanos(takes), () -> {
            if (process.life == life) {
                process.happens(() -> workStopped(reign));
            }
        });
    }

    private void stood(Post post, Stance stance) {
        post.turns.says(stance, nanos());
        if (process.isGuest) {
            return;
        }
        post.placeByNanos = stance == Stance.Seeking.INSTANCE
                ? nanos() + OrderTiming.of(Duration.ofNanos(world.knobs.lease)).placeNanos()
                : Long.MAX_VALUE;
        process.run(() -> process.step(new NodeEvent.StanceChanged(post.key, stance)));
    }

    private void ask(ElectionAction.Request request) {
        Post post = posts[GroupWorld.election(request.key())];
        String who = process + " in election " + post.election;
        load.asked(nanos());
        if (request instanceof ElectionAction.Acquire acquire) {
            post.callbacks.wrote("the lead");
            world.works.acquires(who, post.isWorking(), post.stands, 0);
            post.attempt = acquire.proposal().attempt();
            if (settings.ordered()) {
                post.turns.tries(nanos());
            }
        } else if (request instanceof ElectionAction.Update) {
            post.callbacks.wrote("an update");
        } else if (request instanceof ElectionAction.Release release) {
            GroupReign reign = post.reign;
            if (reign != null && release.basis().isAttempt(reign.attempt())) {
                world.works.letsGo(who, "the record of " + reign.term, reign.isWorking, reign.isReported);
            }
        }
        long untilNanos = nanos() + request.timeoutNanos();
        if (world.now < process.lateUntil && world.random.nextInt(3) == 0) {
            world.fired(GroupFault.REQUESTS_LATE);
            int life = process.life;
            long delay = world.random.nextLong(timing.leaseNanos());
            world.queue.put(world.now + delay, () -> {
                if (process.life == life) {
                    process.happens(() -> call(request, untilNanos));
                }
            });
        } else {
            process.run(() -> call(request, untilNanos));
        }
    }

    // ---- between the client and its node, as GroupStore and RunningNode do it ----

    private static @Nullable Call callOf(ElectionAction.Request request) {
        RecordKey key = request.key();
        if (request instanceof ElectionAction.Read) {
            return new Call.Read(key);
        } else if (request instanceof ElectionAction.Acquire acquire) {
            Epoch basis = epoch(acquire.basis().basis());
            return basis == null ? null : new Call.Acquire(key, basis, acquire.proposal());
        } else if (request instanceof ElectionAction.Update update) {
            Epoch basis = epoch(update.basis().basis());
            return basis == null ? null : new Call.Update(key, basis, update.record(), update.intent());
        }
        Epoch basis = epoch(((ElectionAction.Release) request).basis().basis());
        return basis == null ? null : new Call.Release(key, basis);
    }

    private static @Nullable Epoch epoch(Basis basis) {
        return basis instanceof WriteId write ? write.write() : null;
    }

    private void call(ElectionAction.Request request, long untilNanos) {
        Post post = posts[GroupWorld.election(request.key())];
        Call call = callOf(request);
        if (call == null) {
            answer(post, request, WriteOutcome.refused());
            return;
        }
        // The time left is read on the monotonic clock but counts on the boot clock, which goes on during a suspension.
        long deadline = process.now().bootNanos() + Math.max(0, untilNanos - nanos());
        long check = world.register.begins(post.election, call, world.now);
        asked.put(request.request(), new Asked(request, check));
        Id id = process.begin(new NodeEvent.Begin(request.request(), call, deadline));
        world.register.isNamed(check, id);
        world.links.mustLeaveBy(id, deadline);
    }

    void ended(long id, CallResult result) {
        // The result may come while the call begins.
        process.run(() -> {
            Asked call = asked.remove(id);
            if (call != null) {
                if (world.log != null) {
                    world.note(process + " ends call " + id + ": " + Words.of(result));
                }
                ended(call, result);
            }
        });
    }

    private void ended(Asked call, CallResult result) {
        ElectionAction.Request request = call.request;
        Post post = posts[GroupWorld.election(request.key())];
        if (!(result instanceof CallResult.Ended ended)) {
            on(post, new ElectionEvent.Faulted(request.request(), String.valueOf(result)));
            return;
        }
        Outcome outcome = ended.outcome();
        world.register.ends(call.check, outcome, world.now);
        if (outcome instanceof Outcome.Read read) {
            Observation seen = Value.observation(post.key, read.value());
            on(post, new ElectionEvent.ReadAnswered(request.request(), seen));
        } else if (outcome instanceof Outcome.Written written) {
            Observation seen = Value.observation(post.key, written.value());
            boolean renews = written.renews() && seen instanceof Observation.Held;
            answer(post, request, renews ? WriteOutcome.renewed(seen, lease(request)) : WriteOutcome.written(seen));
        } else if (outcome instanceof Outcome.Refused refused) {
            answer(
                    post,
                    request,
                    refused.isKnown()
                            ? WriteOutcome.refused(Value.observation(post.key, refused.value()))
                            : WriteOutcome.refused());
        } else {
            on(post, new ElectionEvent.Unanswered(request.request()));
        }
    }

    private static Duration lease(ElectionAction.Request request) {
        if (request instanceof ElectionAction.Acquire acquire) {
            return acquire.proposal().lease();
        }
        return request instanceof ElectionAction.Update update ? update.record().lease() : Duration.ZERO;
    }

    private void answer(Post post, ElectionAction.Request request, WriteOutcome outcome) {
        if (outcome instanceof WriteOutcome.Refused refused && refused.now().isEmpty()) {
            load.looks(nanos());
        }
        on(post, new ElectionEvent.WriteAnswered(request.request(), outcome));
    }
}
