package dev.mandate.simulator.groups;

import dev.mandate.EndReason;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Start;
import dev.mandate.simulator.world.GroupFault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What befalls processes, links, disks and clocks at planned times, and what users do. */
final class Mishaps {
    /** The kinds to draw from. */
    static final GroupFault[] KINDS = {
        GroupFault.ONE_WAY,
        GroupFault.SPLIT_IN_TWO,
        GroupFault.SPLIT_INTERSECTING,
        GroupFault.SPLIT_AS_A_RING,
        GroupFault.PAUSE,
        GroupFault.SUSPENSION,
        GroupFault.RESTART,
        GroupFault.RESTART_LOST,
        GroupFault.RESTART_OLD,
        GroupFault.ALL_AT_ONCE,
        GroupFault.REQUESTS_LATE,
        GroupFault.DISK_FAILED,
        GroupFault.DISK_SLOW,
        GroupFault.WALL_AHEAD,
        GroupFault.WALL_BACK,
        GroupFault.RESIGNED,
        GroupFault.WITHDREW,
        GroupFault.PROCLAIMED
    };

    private final GroupWorld world;
    private final SplittableRandom random;
    private final GroupKnobs knobs;
    /** Whether a file was ever lost or replaced by an old one. */
    private boolean isAnyLost;

    Mishaps(GroupWorld world) {
        this.world = world;
        this.random = world.random;
        this.knobs = world.knobs;
    }

    void plan() {
        GroupFault[] kinds = knobs.kinds.toArray(new GroupFault[0]);
        for (int i = 0; i < knobs.mishaps; i++) {
            GroupFault kind = kinds[random.nextInt(kinds.length)];
            long at = knobs.lease / 2 + random.nextLong(knobs.horizon - knobs.lease / 2);
            world.queue.put(at, () -> befall(kind));
        }
    }

    private void befall(GroupFault kind) {
        if (world.isHealed) {
            return;
        }
        if (world.log != null) {
            world.note("mishap: " + kind);
        }
        Member member = world.members[random.nextInt(world.members.length)];
        GroupReign reign = world.reign(random.nextInt(knobs.elections));
        if (reign != null && random.nextBoolean()) {
            member = reign.client.process;
        }
        switch (kind) {
            case ONE_WAY, SPLIT_IN_TWO, SPLIT_INTERSECTING, SPLIT_AS_A_RING -> split(kind);
            case PAUSE, SUSPENSION -> pause(member, kind == GroupFault.SUSPENSION);
            case RESTART, RESTART_LOST, RESTART_OLD -> restart(member, kind);
            case ALL_AT_ONCE -> restartAll();
            case REQUESTS_LATE -> member.lateUntil = world.now + random.nextLong(2 * knobs.lease);
            case DISK_FAILED -> member.disk.failsUntil = world.now + random.nextLong(knobs.lease);
            case DISK_SLOW -> {
                member.disk.slowUntil = world.now + random.nextLong(2 * knobs.lease);
                member.disk.slowNanos = 1 + random.nextLong(knobs.lease);
            }
            case WALL_AHEAD -> member.stepWall(random.nextLong(4 * knobs.lease) + 1);
            case WALL_BACK -> member.stepWall(-random.nextLong(4 * knobs.lease) - 1);
            default -> asUser(kind, member, reign);
        }
    }

    // ---- users ----

    private void asUser(GroupFault kind, Member member, @org.jspecify.annotations.Nullable GroupReign reign) {
        if (!member.isUp || member.isPaused) {
            return;
        }
        if (kind == GroupFault.WITHDREW) {
            Post post = member.client.posts[random.nextInt(knobs.elections)];
            if (post.stands) {
                world.fired(kind);
                member.run(() -> member.client.withdraw(post));
                int life = member.life;
                world.queue.put(world.now + random.nextLong(2 * knobs.lease), () -> {
                    if (member.life == life) {
                        member.happens(() -> member.client.campaign(post));
                    }
                });
            }
        } else if (reign != null && !reign.client.process.isPaused) {
            world.fired(kind);
            Client leader = reign.client;
            Post post = leader.posts[reign.election];
            if (kind == GroupFault.PROCLAIMED) {
                leader.process.run(() -> leader.proclaim(post));
            } else {
                leader.process.run(() -> leader.resign(post, EndReason.RESIGNED));
            }
        }
    }

    // ---- links ----

    private void split(GroupFault kind) {
        int size = world.members.length;
        boolean[][] cuts = new boolean[size][size];
        int side = random.nextInt(1 << size);
        int shared = random.nextInt(size);
        for (int from = 0; from < size; from++) {
            for (int to = 0; to < size; to++) {
                boolean apart = (side >> from & 1) != (side >> to & 1);
                int distance = Math.floorMod(from - to, size);
                cuts[from][to] = switch (kind) {
                    case ONE_WAY -> random.nextInt(4) == 0;
                    case SPLIT_IN_TWO -> apart;
                    case SPLIT_INTERSECTING -> apart && from != shared && to != shared;
                    default -> distance > 1 && distance < size - 1;
                };
            }
        }
        world.fired(kind);
        cut(cuts, true);
        long lasts = random.nextLong(2 * knobs.lease);
        world.queue.put(world.now + lasts, () -> cut(cuts, false));
    }

    private void cut(boolean[][] cuts, boolean isCut) {
        for (int from = 0; from < cuts.length; from++) {
            for (int to = 0; to < cuts.length; to++) {
                if (cuts[from][to]) {
                    world.links.cut(from, to, isCut);
                }
            }
        }
    }

    // ---- processes ----

    void pause(Member member, boolean suspended) {
        pause(member, suspended, random.nextLong(3 * knobs.lease));
    }

    void pause(Member member, boolean suspended, long lasts) {
        if (!member.isUp || member.isPaused) {
            return;
        }
        world.fired(suspended ? GroupFault.SUSPENSION : GroupFault.PAUSE);
        if (lasts > 2 * knobs.lease) {
            world.fired(GroupFault.PAUSED_LONG);
        }
        member.pause(suspended);
        int life = member.life;
        world.queue.put(world.now + lasts, () -> {
            if (member.life == life && member.isPaused) {
                if (world.log != null) {
                    world.note(member + " goes on");
                }
                member.resume();
            }
        });
    }

    /** Its process dies and starts again after a while; {@code kind} says what it then finds on its disk. */
    void restart(Member member, GroupFault kind) {
        if (member.isUp) {
            member.crash(kind != GroupFault.RESTART_OLD);
            forget(member, kind);
            startLater(member, random.nextLong(knobs.lease / 2));
        }
    }

    /** Loses its file or brings an old one back, if allowed. */
    void forget(Member member, GroupFault kind) {
        GroupFault done = GroupFault.RESTART;
        if (kind == GroupFault.RESTART_LOST && mayForget(member)) {
            member.disk.lose();
            member.isOld = false;
            isAnyLost = true;
            done = kind;
        } else if (kind == GroupFault.RESTART_OLD
                && mayForget(member)
                && member.disk.hasOlder()
                && isMetByAll(member)) {
            member.disk.goBack();
            member.isOld = true;
            isAnyLost = true;
            done = kind;
        }
        world.fired(done);
        if (world.log != null) {
            world.note(member + " is gone: " + done + ", " + Words.of(member.disk.state()));
        }
    }

    void startLater(Member member, long pause) {
        int life = member.life;
        world.queue.put(world.now + pause, () -> {
            if (member.life == life && !member.isUp) {
                if (world.log != null) {
                    world.note(member + " starts");
                }
                member.start();
            }
        });
    }

    /** Whether fewer than a majority, this one included, have forgotten something at the same time. */
    private boolean mayForget(Member member) {
        if (member.isGuest) {
            return false;
        }
        int count = 1;
        for (Member other : voters()) {
            if (other != member && (other.isOld || !other.disk.state().complete())) {
                count++;
            }
        }
        return count < majority();
    }

    private int majority() {
        return knobs.voters / 2 + 1;
    }

    /** Whether all others remember the last start of that voter that voted; if not, its old file may go unnoticed. */
    private boolean isMetByAll(Member member) {
        Start last = member.disk.covers();
        for (Member other : voters()) {
            DurableState state = other.disk.state();
            if (other != member && !state.known().get(member.index).equals(last)) {
                return false;
            }
        }
        return true;
    }

    List<Member> voters() {
        return List.of(world.members).subList(0, knobs.voters);
    }

    private void restartAll() {
        world.fired(GroupFault.ALL_AT_ONCE);
        GroupFault kind = switch (random.nextInt(6)) {
            case 0 -> GroupFault.RESTART_LOST;
            case 1 -> GroupFault.RESTART_OLD;
            default -> GroupFault.RESTART;
        };
        boolean isMajority = kind != GroupFault.RESTART;
        List<Member> forgetful = new ArrayList<>(voters());
        // Sometimes not all of them forget: then the others stop rather than let tokens fall.
        while (isMajority && forgetful.size() > majority() && random.nextInt(3) == 0) {
            forgetful.remove(random.nextInt(forgetful.size()));
        }
        if (isMajority) {
            isAnyLost = true;
            world.majorityForgets();
        }
        for (Member member : voters()) {
            if (member.isUp) {
                member.crash(true);
            }
            if (isMajority && forgetful.contains(member)) {
                if (kind == GroupFault.RESTART_LOST) {
                    member.disk.lose();
                    member.isOld = false;
                } else if (member.disk.hasOlder()) {
                    member.disk.goBack();
                    member.isOld = true;
                }
            }
            startLater(member, random.nextLong(knobs.lease / 10));
        }
        if (random.nextInt(3) == 0) {
            // Restart all once more before everybody votes or has met everybody.
            world.queue.put(world.now + random.nextLong(2 * knobs.lease), () -> {
                if (!world.isHealed) {
                    restartAll();
                }
            });
        }
    }

    /**
     * Whether too many files are lost for the group to recover by itself: fewer than a majority have a file, and those
     * that vote are too few to learn from.
     */
    boolean isStuck() {
        int complete = 0;
        int voting = 0;
        for (Member member : voters()) {
            boolean isComplete = !member.isOld && member.disk.state().complete();
            complete += isComplete ? 1 : 0;
            voting += isComplete && member.isVoting() ? 1 : 0;
        }
        return isAnyLost && complete < majority() && voting <= knobs.voters - majority();
    }

    /** The group cannot recover by itself: an operator stops all members and deletes all files. */
    void startAnew() {
        isAnyLost = false;
        world.majorityForgets();
        for (Member member : voters()) {
            if (member.isUp) {
                member.crash(true);
            }
            member.disk.lose();
            member.isOld = false;
            member.start();
        }
    }
}
