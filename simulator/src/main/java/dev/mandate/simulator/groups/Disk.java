package dev.mandate.simulator.groups;

import dev.mandate.peers.node.NodeAction;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Recall;
import dev.mandate.peers.register.Start;
import dev.mandate.simulator.world.GroupFault;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The disk of one member. Takes its time; of several states that wait, writes only the newest, as the real one does; may fail, with or without
 * having written; and if the process dies meanwhile, leaves the old state or the new one.
 */
final class Disk {
    private final GroupWorld world;
    private final Member member;
    private DurableState state;
    private boolean isThere;
    /** What each start found. */
    private final List<DurableState> found = new ArrayList<>();

    private NodeAction.@Nullable Persist writing;
    private NodeAction.@Nullable Persist waiting;
    /** Writes fail until then. */
    long failsUntil;
    /** Writes take this much longer. */
    long slowNanos;

    long slowUntil;

    Disk(GroupWorld world, Member member) {
        this.world = world;
        this.member = member;
        state = DurableState.none(new Group(world.knobs.voters));
    }

    DurableState state() {
        return state;
    }

    /** What a starting process finds. */
    Recall recall() {
        if (isThere) {
            found.add(state);
            return new Recall.Intact(state);
        }
        return world.random.nextBoolean() ? new Recall.Missing() : new Recall.Damaged("a model of a damaged file");
    }

    void lose() {
        state = DurableState.none(new Group(world.knobs.voters));
        isThere = false;
        found.clear();
    }

    /** Whether there is a file from before the start that voted last. One that is old within a start is found by nobody. */
    boolean hasOlder() {
        return found.stream().anyMatch(this::isOlder);
    }

    private boolean isOlder(DurableState file) {
        return !file.covers().equals(covers()) && !file.attempts().contains(covers().id());
    }

    /** The newest of these comes back. */
    void goBack() {
        found.removeIf(file -> !isOlder(file));
        state = found.get(found.size() - 1);
    }

    /** The start that voted last. */
    Start covers() {
        return state.covers();
    }

    void write(NodeAction.Persist persist) {
        if (writing != null) {
            waiting = persist;
            return;
        }
        begin(persist);
    }

    private void begin(NodeAction.Persist persist) {
        writing = persist;
        boolean isSlow = world.now < slowUntil;
        if (isSlow) {
            world.fired(GroupFault.DISK_SLOW);
        }
        long takes = 1 + world.random.nextLong(world.knobs.diskMax) + (isSlow ? world.random.nextLong(slowNanos) : 0);
        int life = member.life;
        world.queue.put(world.now + takes, () -> {
            if (member.life == life && member.isUp) {
                done(persist);
            }
        });
    }

    private void done(NodeAction.Persist persist) {
        writing = null;
        boolean fails = world.now < failsUntil;
        if (!fails || world.random.nextBoolean()) {
            put(persist.state());
        }
        if (fails) {
            world.fired(GroupFault.DISK_FAILED);
        }
        if (world.log != null) {
            world.note(member + " has " + (fails ? "failed to write " : "written ") + Words.of(persist.state()));
        }
        NodeAction.Persist next = waiting;
        waiting = null;
        if (next != null) {
            begin(next);
        }
        member.hear(
                fails ? new NodeEvent.PersistFailed(persist.sequence()) : new NodeEvent.Persisted(persist.sequence()));
    }

    private void put(DurableState written) {
        state = written;
        isThere = true;
    }

    /** The process is gone; a write that was under way has happened, or has not. */
    void crash(boolean landsIfDrawn) {
        NodeAction.Persist persist = writing;
        writing = null;
        waiting = null;
        if (persist != null) {
            boolean lands = landsIfDrawn && world.random.nextBoolean();
            world.fired(lands ? GroupFault.WRITE_LANDED : GroupFault.WRITE_LOST);
            if (lands) {
                put(persist.state());
            }
        }
    }
}
