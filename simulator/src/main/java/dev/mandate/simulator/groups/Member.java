package dev.mandate.simulator.groups;

import dev.mandate.engine.Entropy;
import dev.mandate.engine.Now;
import dev.mandate.peers.node.Node;
import dev.mandate.peers.node.NodeAction;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.node.NodeSettings;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.peers.order.Race;
import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Voter;
import dev.mandate.peers.register.VoterSettings;
import dev.mandate.peers.register.VoterStatus;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Clock;
import dev.mandate.simulator.world.GroupFault;
import dev.mandate.spi.Id;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One process: a {@link Node}, its {@link Client}, its machine's clocks and disk. A guest has no voter and no disk. */
final class Member {
    final GroupWorld world;
    final int index;
    final boolean isGuest;
    final Clock clock;
    final Disk disk;
    final Client client;
    private final NodeSettings settings;
    private final boolean[] linked;

    /** Counts its lives. */
    int life;

    boolean isUp;
    boolean isPaused;
    /** The true time at which its pause ends. */
    long pausedUntil;
    /** The true time of its next timer. */
    long wakeAt = Long.MAX_VALUE;
    /** Its client's requests are late until then. */
    long lateUntil;
    /** The true time at which it resumed after its last pause. */
    long wentOnAt;
    /** Whether its file is an old one and it does not know yet. */
    boolean isOld;

    private @Nullable Node node;
    /** The first id drawn since a call began. */
    private Id begun = Id.NONE;

    private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean isBusy;
    private @Nullable Now reading;
    private long readAt = -1;

    Member(GroupWorld world, int index) {
        this.world = world;
        this.index = index;
        GroupKnobs knobs = world.knobs;
        this.isGuest = index >= knobs.voters;
        // A monotonic clock may well be negative.
        long origin = world.random.nextLong(-1_000_000, 1_000_000) * GroupKnobs.SECOND;
        this.clock = new Clock(knobs.rates[index], origin, GroupWorld.WALL_START_NANOS + knobs.walls[index], false);
        Group group = new Group(knobs.voters);
        this.settings = NodeSettings.of(group, isGuest ? NodeSettings.GUEST : index, Duration.ofNanos(knobs.lease));
        this.disk = new Disk(world, this);
        this.linked = new boolean[knobs.voters];
        this.client = new Client(this);
    }

    /** The number by which others know it. */
    long number() {
        return isGuest ? Node.GUESTS_FROM + index : index;
    }

    /** Its clocks at this instant. */
    Now now() {
        Now known = reading;
        if (known == null || readAt != world.now) {
            known = clock.now(world.now);
            reading = known;
            readAt = world.now;
        }
        return known;
    }

    /** A clock was set, stopped or started. */
    void clockChanged() {
        reading = null;
    }

    // ---- life ----

    void start() {
        life++;
        isUp = true;
        isPaused = false;
        clock.wakeUp(world.now);
        clockChanged();
        inbox.clear();
        tasks.clear();
        GroupKnobs knobs = world.knobs;
        Entropy entropy = new Entropy() {
            @Override
            public long nextLong() {
                return world.random.nextLong();
            }

            @Override
            public Id nextId() {
                Id id = Entropy.super.nextId();
                if (begun.equals(Id.NONE)) {
                    begun = id;
                }
                return id;
            }
        };
        Voter voter = null;
        if (!isGuest) {
            VoterSettings voting =
                    new VoterSettings(settings.group(), index, knobs.lease, knobs.ceilingStep, knobs.joinNanos);
            voter = new Voter(voting, disk.recall(), entropy.nextId(), now().monotonicNanos());
        }
        OrderTiming timing = OrderTiming.of(Duration.ofNanos(knobs.lease));
        Node made = new Node(
                settings,
                voter,
                isGuest ? new Race() : knobs.scheme.order(index, knobs.voters, timing, entropy),
                entropy);
        node = made;
        java.util.Arrays.fill(linked, false);
        client.start();
        run(() -> take(made.begin(now())));
        run(() -> take(made.step(new NodeEvent.Watched(true), now())));
        world.links.started(this);
        run(client::stand);
    }

    /** The process is gone at once. */
    void crash(boolean landsIfDrawn) {
        life++;
        isUp = false;
        isPaused = false;
        node = null;
        inbox.clear();
        tasks.clear();
        wakeAt = Long.MAX_VALUE;
        disk.crash(landsIfDrawn);
        client.crashed();
        world.links.crashed(this);
    }

    /** Stops the process, and with {@code suspended} its monotonic clock too. */
    void pause(boolean suspended) {
        isPaused = true;
        wakeAt = Long.MAX_VALUE;
        if (suspended) {
            clock.fallAsleep(world.now);
            clockChanged();
        }
    }

    /** Resumes the process: it now handles all that came meanwhile, before or after its timers. */
    void resume() {
        isPaused = false;
        wentOnAt = world.now;
        clock.wakeUp(world.now);
        clockChanged();
        if (world.random.nextBoolean()) {
            tick();
        }
        int life = this.life;
        while (!inbox.isEmpty() && isUp && this.life == life) {
            run(inbox.remove());
        }
        rearm();
    }

    /** The state of its voter; null for a guest, and while it is down. */
    @Nullable
    VoterStatus status() {
        Node up = node;
        return up == null ? null : up.status(now()).orElse(null);
    }

    boolean isVoting() {
        VoterStatus status = status();
        return status != null && status.phase() == VoterStatus.Phase.VOTING;
    }

    // ---- what happens ----

    /** Something happens in this process, now or when it resumes. */
    void happens(Runnable what) {
        if (!isUp) {
            return;
        } else if (isPaused) {
            inbox.add(what);
        } else {
            run(what);
        }
    }

    /** An event reaches its node. */
    void hear(NodeEvent event) {
        happens(() -> step(event));
    }

    /** Runs one task after another; tasks added meanwhile come next. */
    void run(Runnable what) {
        tasks.add(what);
        if (isBusy) {
            return;
        }
        isBusy = true;
        try {
            for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                next.run();
            }
        } catch (RuntimeException | AssertionError e) {
            StackTraceElement[] trace = e.getStackTrace();
            world.judge.violated(
                    Invariant.TOTALITY, this + " threw " + e + (trace.length > 0 ? " at " + trace[0] : ""));
        } finally {
            isBusy = false;
        }
        rearm();
    }

    void step(NodeEvent event) {
        Node up = node;
        if (up == null) {
            return;
        }
        if (world.log != null && !(event instanceof NodeEvent.Tick)) {
            world.note(this + " " + Words.of(event));
        }
        world.mix(event.getClass().getSimpleName().length());
        if (event instanceof NodeEvent.Link link) {
            link(link.member(), link.up());
        }
        take(up.step(event, now()));
        if (event instanceof NodeEvent.Persisted && isOld && isVoting()) {
            isOld = false;
        }
    }

    /**
     * Its node begins a call.
     *
     * @return the id by which voters know the call: the first one drawn, because other calls may begin in the same step
     */
    Id begin(NodeEvent.Begin call) {
        begun = Id.NONE;
        step(call);
        return begun;
    }

    private void link(int member, boolean isLinked) {
        if (linked[member] == isLinked) {
            return;
        }
        linked[member] = isLinked;
        int count = 0;
        for (boolean each : linked) {
            count += each ? 1 : 0;
        }
        int needed = settings.group().majority() - (isGuest ? 0 : 1);
        if (isLinked && count == needed) {
            run(client::gap);
        }
    }

    void tick() {
        wakeAt = Long.MAX_VALUE;
        run(() -> {
            Node up = node;
            if (up != null) {
                if (world.log != null) {
                    world.note(this + " wakes");
                }
                if (now().monotonicNanos() >= up.wakeAtNanos(now())) {
                    step(new NodeEvent.Tick());
                }
                client.tick();
            }
        });
    }

    private void rearm() {
        Node up = node;
        if (!isUp || isPaused || up == null) {
            return;
        }
        long wanted = Math.min(up.wakeAtNanos(now()), client.machine.wakeAtNanos());
        if (wanted == Long.MAX_VALUE) {
            wakeAt = wanted;
            return;
        }
        long due = clock.when(wanted, world.now);
        if (wakeAt > due + world.knobs.wakeLagMax || wakeAt < due) {
            long lag = world.knobs.wakeLagMax == 0 ? 0 : world.random.nextLong(world.knobs.wakeLagMax);
            wakeAt = Math.max(world.now + 1, due + lag);
        }
    }

    private void take(List<NodeAction> actions) {
        for (NodeAction action : actions) {
            if (action instanceof NodeAction.Send send) {
                world.links.send(this, send);
            } else if (action instanceof NodeAction.SendTurn send) {
                world.links.send(this, send);
            } else if (action instanceof NodeAction.Persist persist) {
                disk.write(persist);
            } else if (action instanceof NodeAction.Ended ended) {
                client.ended(ended.id(), ended.result());
            } else if (action instanceof NodeAction.Changed changed) {
                run(() -> client.hint(changed.observation()));
            } else if (action instanceof NodeAction.Placed placed) {
                run(() -> client.placed(placed.key(), placed.place()));
            } else if (action instanceof NodeAction.AskedToLeave asked) {
                run(() -> client.askedToLeave(asked.key(), asked.term()));
            }
        }
    }

    /** Sets the wall clock forward or back. */
    void stepWall(long nanos) {
        clock.step(nanos, world.now);
        clockChanged();
        world.fired(nanos > 0 ? GroupFault.WALL_AHEAD : GroupFault.WALL_BACK);
    }

    @Override
    public String toString() {
        return (isGuest ? "guest " : "member ") + index;
    }
}
