package dev.mandate.simulator.groups;

import dev.mandate.peers.node.Node;
import dev.mandate.peers.node.NodeAction;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.register.Message;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.GroupFault;
import dev.mandate.spi.Id;
import java.util.HashMap;
import java.util.Map;

/** The network between the processes of a group. It may lose, delay, duplicate and reorder each message. */
final class Links {
    private final GroupWorld world;
    private final int size;
    private final boolean[][] cut;
    private final long[][] lastArrival;
    /** By the id of the call: from when on, by its caller's clock, none of its messages may leave. */
    private final Map<Id, Long> deadlines = new HashMap<>();

    /** The true time at which the last message arrives. */
    long lastAt;

    Links(GroupWorld world) {
        this.world = world;
        this.size = world.knobs.candidates();
        this.cut = new boolean[size][size];
        this.lastArrival = new long[size][size];
    }

    void mustLeaveBy(Id call, long bootNanos) {
        deadlines.put(call, bootNanos);
    }

    // ---- links ----

    /** A process started: it connects with the others. */
    void started(Member started) {
        for (Member other : world.members) {
            if (other != started && other.isUp) {
                connect(started, other);
            }
        }
    }

    private void connect(Member one, Member other) {
        long soon = world.random.nextLong(world.knobs.delayMax) + 1;
        tells(one, other, true, soon);
        tells(other, one, true, soon);
    }

    /** A process is gone: the others notice at once, or late. */
    void crashed(Member gone) {
        long late = world.random.nextInt(4) == 0 ? world.random.nextLong(world.knobs.lease) : 1;
        for (Member other : world.members) {
            if (other != gone && other.isUp) {
                tells(other, gone, false, late + world.random.nextLong(world.knobs.delayMax));
            }
        }
    }

    /** {@code to} finds that its link to {@code about} is up or down, if that is still so then. */
    private void tells(Member to, Member about, boolean isUp, long delay) {
        if (about.isGuest) {
            return;
        }
        int life = to.life;
        int itsLife = about.life;
        world.queue.put(world.now + delay, () -> {
            boolean isSo = about.isUp && about.life == itsLife && !isCut(to, about);
            if (to.life == life && isSo == isUp) {
                to.hear(new NodeEvent.Link(about.index, isUp));
            }
        });
    }

    private boolean isCut(Member one, Member other) {
        return cut[one.index][other.index] || cut[other.index][one.index];
    }

    /** Blocks messages from {@code from} to {@code to}, or lets them through again. */
    void cut(int from, int to, boolean isCut) {
        if (from == to || cut[from][to] == isCut) {
            return;
        }
        cut[from][to] = isCut;
        Member one = world.members[from];
        Member other = world.members[to];
        long late = world.random.nextInt(2) == 0 ? world.random.nextLong(world.knobs.lease / 4) : 0;
        if (one.isUp && other.isUp) {
            tells(one, other, !isCut, 1 + late);
            tells(other, one, !isCut, 1 + late);
        }
    }

    /** Lets all messages through again. */
    void heal() {
        for (int from = 0; from < size; from++) {
            for (int to = 0; to < size; to++) {
                cut(from, to, false);
            }
        }
    }

    // ---- messages ----

    void send(Member from, NodeAction.Send send) {
        Member to = world.members[(int) (send.to() >= Node.GUESTS_FROM ? send.to() - Node.GUESTS_FROM : send.to())];
        if (send.message() instanceof Message.Accept accept) {
            world.register.carried(accept.value());
        }
        if (world.plot != null && world.plot.loses(from, to, send.message())) {
            return;
        }
        NodeEvent event = new NodeEvent.Received(from.number(), send.message());
        long held = world.plot == null ? 0 : world.plot.holdsUp(from, send.message());
        deliver(from, to, event, send.message(), send.untilNanos(), held);
    }

    void send(Member from, NodeAction.SendTurn send) {
        if (send.message() instanceof OrderMessage.Preempt request) {
            world.healing.asks(from, request);
        }
        NodeEvent event = new NodeEvent.ReceivedTurn(from.index, send.message());
        deliver(from, world.members[send.to()], event, null, Long.MAX_VALUE, 0);
    }

    private void deliver(
            Member from,
            Member to,
            NodeEvent event,
            @org.jspecify.annotations.Nullable Message message,
            long untilNanos,
            long held) {
        GroupKnobs knobs = world.knobs;
        if (cut[from.index][to.index]) {
            return;
        }
        int copies = 1;
        if (knobs.loss > 0 && world.random.nextDouble() < knobs.loss) {
            world.fired(GroupFault.LOST);
            copies = 0;
        } else if (knobs.doubled > 0 && world.random.nextDouble() < knobs.doubled) {
            world.fired(GroupFault.DOUBLED);
            copies = 2;
        }
        for (; copies > 0; copies--) {
            long delay = held + knobs.delayMin + world.random.nextLong(knobs.delayMax - knobs.delayMin);
            long waits = 0;
            if (knobs.late > 0 && world.random.nextDouble() < knobs.late) {
                long late = world.random.nextLong(knobs.lateMax);
                // It waits before it leaves, or is slow afterwards.
                if (world.random.nextBoolean()) {
                    waits = late;
                } else {
                    delay += late;
                }
            }
            long leaves = world.now + waits;
            if (untilNanos != Long.MAX_VALUE && bootAt(from, leaves) >= untilNanos) {
                world.fired(GroupFault.NOT_SENT);
                continue;
            }
            if (message instanceof Message.Accept) {
                leaves(from, message, leaves);
            }
            arrives(from, to, event, waits + delay);
        }
    }

    private static long bootAt(Member from, long at) {
        return from.clock.now(at).bootNanos();
    }

    /** No ACCEPT leaves after its call is over. */
    private void leaves(Member from, Message accept, long at) {
        Long deadline = deadlines.get(accept.call());
        if (deadline != null && bootAt(from, at) >= deadline) {
            world.judge.violated(
                    Invariant.REGISTER, from + " sends " + Words.of(accept) + " after the deadline of its call");
        }
    }

    private void arrives(Member from, Member to, NodeEvent event, long delay) {
        int life = to.life;
        long sentAt = world.now;
        long at = sentAt + delay;
        lastAt = Math.max(lastAt, at);
        world.queue.put(at, () -> {
            if (delay > world.knobs.lease) {
                world.fired(GroupFault.LATE);
            }
            if (lastArrival[from.index][to.index] > sentAt) {
                world.fired(GroupFault.REORDERED);
            }
            lastArrival[from.index][to.index] = Math.max(lastArrival[from.index][to.index], sentAt);
            if (to.life != life) {
                if (!world.knobs.outlives || to.isGuest) {
                    return;
                }
                world.fired(GroupFault.OUTLIVED_ITS_RECEIVER);
            }
            to.hear(event);
        });
    }
}
