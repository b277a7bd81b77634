package dev.mandate.simulator.groups;

import dev.mandate.EndReason;
import dev.mandate.peers.node.Call;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Value;
import dev.mandate.simulator.world.GroupFault;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Leads straight to where chance seldom does: voters restart while a write that they promised is in flight. */
final class Plot {
    /** The id of the operator's call. */
    private static final long OPERATOR = 1L << 40;

    /** What is staged. */
    enum Kind {
        /**
         * A bare majority promises a write of the leader, mostly a release, whose ACCEPT is in flight for leases. The
         * other promisers restart, the leader is cut off, and the others go on, in lower epochs if they can.
         */
        ACCEPT_HELD_UP,
        /** All others restart at once while the leader leads, and do not hear it. */
        OTHERS_RESTART,
        /**
         * An operator's call lasts for leases. One voter promises and loses its file. The rest of the majority promise
         * much later; they have not seen what was written meanwhile, but have met the voter's new start.
         */
        CALL_LASTS
    }

    private enum Fate {
        KEPT,
        LOST,
        TORN
    }

    private final GroupWorld world;
    private final SplittableRandom random;
    private final GroupKnobs knobs;
    private final Kind kind;
    private final int election;
    private final List<Member> promisers = new ArrayList<>();
    private final List<Member> apart = new ArrayList<>();
    private final boolean isByResigning;
    private final long heldNanos;
    private int tries = 6;

    private @Nullable Member proposer;
    private @Nullable Id call;
    private boolean isStruck;
    private boolean isOpen;

    Plot(GroupWorld world) {
        this.world = world;
        this.random = world.random;
        this.knobs = world.knobs;
        this.kind = Objects.requireNonNull(knobs.plot, "a world with a plot");
        this.election = random.nextInt(knobs.elections);
        this.isByResigning = random.nextInt(4) > 0;
        this.heldNanos = (long) (knobs.lease * (1.2 + 2.3 * random.nextDouble()));
    }

    void plan() {
        world.queue.put((long) (knobs.lease * (1.6 + random.nextDouble())), this::begin);
    }

    private void begin() {
        GroupReign reign = world.reign(election);
        if (world.isHealed) {
            return;
        }
        if (reign == null || reign.client.process.isPaused || kind == Kind.CALL_LASTS && !hasRecord()) {
            if (--tries > 0) {
                world.queue.put(world.now + knobs.lease / 5, this::begin);
            }
            return;
        }
        world.fired(GroupFault.PLOT);
        if (world.log != null) {
            world.note("plot: " + kind);
        }
        Member leader = reign.client.process;
        switch (kind) {
            case ACCEPT_HELD_UP -> holdUp(leader);
            case OTHERS_RESTART -> restartOthers(leader);
            case CALL_LASTS -> callForLong(leader);
        }
    }

    private boolean hasRecord() {
        Value stands = world.register.latest(election);
        return stands != null && stands.record() != null;
    }

    private List<Member> shuffled(Member without) {
        List<Member> others = new ArrayList<>(world.mishaps.voters());
        others.remove(without);
        for (int i = others.size() - 1; i > 0; i--) {
            java.util.Collections.swap(others, i, random.nextInt(i + 1));
        }
        return others;
    }

    private int majority() {
        return knobs.voters / 2 + 1;
    }

    private void stepAhead(Member member) {
        long most = random.nextBoolean() ? 4 * knobs.lease : 3 * knobs.ceilingStep * GroupKnobs.MILLI;
        member.stepWall(1 + random.nextLong(most));
    }

    // ---- an ACCEPT is held up ----

    private void holdUp(Member leader) {
        proposer = leader;
        promisers.addAll(shuffled(leader).subList(0, majority() - (leader.isGuest ? 0 : 1)));
        if (random.nextInt(4) > 0) {
            stepAhead(leader);
        }
        if (random.nextBoolean()) {
            for (Member member : promisers) {
                member.disk.slowUntil = world.now + knobs.lease;
                member.disk.slowNanos = knobs.lease;
            }
        }
        if (isByResigning) {
            leader.happens(() -> leader.client.resign(leader.client.posts[election], EndReason.RESIGNED));
        }
    }

    private boolean isTheOne(Member from, Message.Prepare prepare) {
        Post post = from.client.posts[election];
        return prepare.key().equals(post.key) && (!isByResigning || post.open() == null);
    }

    private void strike() {
        Fate fate = Fate.values()[random.nextInt(Fate.values().length)];
        boolean together = random.nextBoolean();
        long after = 0;
        for (Member member : promisers) {
            long wait = after + random.nextLong(knobs.delayMax);
            world.queue.put(world.now + wait, () -> restart(member, fate));
            after += together ? 0 : (long) (1.2 * knobs.lease);
        }
    }

    private void restart(Member member, Fate fate) {
        if (!member.isUp || world.isHealed) {
            return;
        }
        member.crash(fate != Fate.TORN);
        world.mishaps.forget(member, fate == Fate.LOST ? GroupFault.RESTART_LOST : GroupFault.RESTART);
        world.mishaps.startLater(member, 1 + random.nextLong(knobs.lease / 20));
    }

    // ---- the others restart ----

    private void restartOthers(Member leader) {
        proposer = leader;
        isStruck = true;
        for (Member member : shuffled(leader)) {
            world.queue.put(world.now + 1 + random.nextLong(knobs.lease / 50), () -> restart(member, Fate.KEPT));
        }
    }

    // ---- a call lasts ----

    private void callForLong(Member leader) {
        Member operator = world.members[knobs.voters];
        Value stands = world.register.latest(election);
        if (!operator.isUp || stands == null) {
            return;
        }
        LeaderRecord record = stands.record();
        if (record == null) {
            return;
        }
        proposer = operator;
        List<Member> others = shuffled(leader);
        promisers.add(others.get(0));
        apart.addAll(others.subList(1, majority()));
        // Beyond the others' ceilings at the time when the voter learns them.
        operator.stepWall(knobs.ceilingStep * GroupKnobs.MILLI + knobs.lease + random.nextLong(3 * knobs.lease));
        long deadline = operator.now().bootNanos() + 4 * knobs.lease;
        Call evict = new Call.Update(GroupWorld.key(election), stands.write(), record.askedToLeave(), Intent.PROCLAIM);
        operator.run(() -> {
            Id id = operator.begin(new NodeEvent.Begin(OPERATOR, evict, deadline));
            world.links.mustLeaveBy(id, deadline);
        });
    }

    private void strikeTheFirst() {
        for (Member member : promisers) {
            world.queue.put(world.now + 2 * knobs.delayMax, () -> restart(member, Fate.LOST));
        }
        world.queue.put(world.now + (long) (knobs.lease * (1.4 + 1.4 * random.nextDouble())), () -> isOpen = true);
    }

    // ---- messages ----

    private static boolean isOfJoining(Message message) {
        return message instanceof Message.Join || message instanceof Message.Welcome;
    }

    /** Whether to lose a message because it would spoil the plot. */
    boolean loses(Member from, Member to, Message message) {
        Member by = proposer;
        if (by == null || world.isHealed) {
            return false;
        }
        return switch (kind) {
            case ACCEPT_HELD_UP -> losesAroundHeld(by, from, to, message);
            case OTHERS_RESTART -> isStruck && (from == by || to == by) && !isOfJoining(message);
            case CALL_LASTS -> losesAroundLong(by, from, to, message);
        };
    }

    private boolean losesAroundHeld(Member by, Member from, Member to, Message message) {
        if (call == null) {
            if (from == by && message instanceof Message.Prepare prepare && isTheOne(by, prepare)) {
                call = prepare.call();
            } else {
                return false;
            }
        }
        boolean isOfIt = message.call().equals(call);
        if (from == by && isOfIt && message instanceof Message.Prepare) {
            return isStruck || !promisers.contains(to);
        }
        if (from == by && isOfIt && message instanceof Message.Accept) {
            if (!isStruck) {
                isStruck = true;
                strike();
            }
            return false;
        }
        return isStruck && (from == by || to == by) && !isOfJoining(message);
    }

    private boolean losesAroundLong(Member by, Member from, Member to, Message message) {
        if (from == by && call == null && message instanceof Message.Prepare) {
            call = message.call();
        }
        if (from == by && message.call().equals(call)) {
            return !(message instanceof Message.Accept) && !promisers.contains(to) && !(isOpen && apart.contains(to));
        }
        if (to == by && promisers.contains(from) && !isStruck && message instanceof Message.Promise) {
            isStruck = true;
            strikeTheFirst();
            return false;
        }
        boolean isApart = apart.contains(from) || apart.contains(to);
        return isStruck && isApart && from != by && to != by && !isOfJoining(message);
    }

    /** By how much to delay the message, in nanoseconds. */
    long holdsUp(Member from, Message message) {
        boolean isHeld = kind == Kind.ACCEPT_HELD_UP
                && from == proposer
                && message instanceof Message.Accept
                && message.call().equals(call)
                && !world.isHealed;
        return isHeld ? heldNanos : 0;
    }
}
