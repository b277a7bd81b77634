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
 * The disk of one member. Writes take time and may fail, with or without an effect; of several waiting states only the
 * newest is written, as on the real one. A process that dies during a write leaves the old state or the new one.
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
    /** Writes fail until this time. */
    long failsUntil;
    /** Writes take up to this much longer, until {@link #slowUntil}. */
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

    /** Whether there is a file from before the start that voted last. An older file of one start goes unnoticed. */
    boolean hasOlder() {
        return found.stream().anyMatch(this::isOlder);
    }

    private boolean isOlder(DurableState file) {
        return !file.covers().equals(covers()) && !file.attempts().contains(covers().id());
    }

    /** Restores the newest of the older files. */
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

    /** The process is gone. A write in progress landed or did not. */
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
