package dev.mandate.peers.runtime;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.Now;
import dev.mandate.internal.SystemClock;
import dev.mandate.peers.node.Call;
import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.node.Node;
import dev.mandate.peers.node.NodeAction;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.node.NodeSettings;
import dev.mandate.peers.order.Bully;
import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.peers.order.Race;
import dev.mandate.peers.order.Ring;
import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Recall;
import dev.mandate.peers.register.Voter;
import dev.mandate.peers.register.VoterSettings;
import dev.mandate.peers.register.VoterStatus;
import dev.mandate.peers.state.StateDirectory;
import dev.mandate.peers.transport.LinkStatus;
import dev.mandate.peers.transport.PeerAddress;
import dev.mandate.peers.transport.Transport;
import dev.mandate.peers.url.GroupSettings;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Node} with its disk and its links, on the thread of its {@link Transport}. All clients of a process with the
 * same {@code self} share one. Thread-safe.
 *
 * <p><em>Bounds.</em> At most 32 MiB of peers' payloads wait, and more are dropped as if lost; at most 65,536 calls are
 * under way, and more are refused. A failure within the node stops it for good: a voter that may have forgotten
 * something must not vote.
 */
public final class RunningNode implements AutoCloseable {
    private static final long HEARD_BYTES_MAX = 32L << 20;
    private static final int CALLS_MAX = 1 << 16;
    private static final int BATCH_MAX = 256;

    private static final String STOPPED = "this node has stopped; restart the process, and report this";

    /** How many milliseconds ahead a ceiling is written: counters rise about as fast as wall clocks. */
    private static final long CEILING_STEP = 60_000;

    /** The shortest and the longest interval at which this member announces its start to one that is away. */
    private static final long JOIN_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long JOIN_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final GroupSettings settings;
    private final Node node;
    private final Peers peers;
    private final Audience audience;
    private final @Nullable Disk disk;
    private final Transport transport;
    private final Outbox outbox;
    private final Recall recall;
    private final Queue<Heard> events = new ConcurrentLinkedQueue<>();
    private final AtomicLong heardBytes = new AtomicLong();
    private final Map<Long, CompletableFuture<CallResult>> calls = new ConcurrentHashMap<>();
    private final AtomicLong nextCall = new AtomicLong();
    private final Object stancesLock = new Object();
    private final Stances stances = new Stances((key, stance) -> tell(new NodeEvent.StanceChanged(key, stance)));
    private volatile boolean isStarted;
    private volatile boolean closed;
    private volatile @Nullable String failure;

    // Used only on the transport's thread.
    private boolean isBegun;
    private long wakeAtNanos;

    /** Written by the transport's thread. */
    private volatile @Nullable VoterStatus status;

    private RunningNode(GroupSettings settings, @Nullable StateDirectory directory) {
        this.settings = settings;
        Group group = new Group(settings.members().size());
        int self = settings.self().map(settings.members()::indexOf).orElse(NodeSettings.GUEST);
        SecureRandom random = new SecureRandom();
        Entropy entropy = random::nextLong;
        Id start = entropy.nextId();
        String list = settings.self().map(PeerAddress::toString).orElse("") + " of " + settings.membersText();
        String name =
                "mandate-peers-" + settings.self().map(PeerAddress::toString).orElse("guest");
        long quarantineNanos = settings.maxLease().toNanos();
        Duration lease = settings.maxLease();
        NodeSettings own = NodeSettings.of(group, self, lease);
        Voter voter = null;
        if (directory == null) {
            this.recall = new Recall.Missing();
            this.disk = null;
        } else {
            this.recall = directory.load(group, list);
            long joinNanos = Math.max(JOIN_MIN_NANOS, Math.min(JOIN_MAX_NANOS, quarantineNanos / 10));
            VoterSettings voting = new VoterSettings(group, self, quarantineNanos, CEILING_STEP, joinNanos);
            voter = new Voter(voting, recall, start, SystemClock.now().monotonicNanos());
            this.disk = new Disk(directory, list, name + "-disk", this::tell);
        }
        this.node = new Node(own, voter, order(settings, self, entropy), entropy);
        this.peers = new Peers(settings.members());
        this.audience = new Audience(
                group.majority() - (voter == null ? 0 : 1), watched -> tell(new NodeEvent.Watched(watched)));
        this.transport =
                Transport.open(settings.transport(start), new NodeListener(peers, this::tell, this::hear, this::turn));
        this.outbox = new Outbox(transport, peers::name);
    }

    private static Order order(GroupSettings settings, int self, Entropy entropy) {
        if (self == NodeSettings.GUEST) {
            return new Race();
        }
        int members = settings.members().size();
        OrderTiming timing = OrderTiming.of(settings.maxLease());
        return switch (settings.scheme()) {
            case PEERS -> new Race();
            case BULLY -> new Bully(self, members, timing, entropy, settings.preempt());
            case RING -> new Ring(self, members, timing, entropy);
        };
    }

    /**
     * Starts a node: locks and reads its directory, listens, and dials the others. Blocks for the disk and for its own
     * name, not for others.
     *
     * @throws StoreSetupException if the directory can't be used, or the address can't be listened on
     */
    static RunningNode open(GroupSettings settings) {
        StateDirectory directory = settings.state()
                .map(Path::toAbsolutePath)
                .map(StateDirectory::open)
                .orElse(null);
        boolean isOpen = false;
        try {
            RunningNode running = new RunningNode(settings, directory);
            if (running.recall instanceof Recall.Damaged damaged) {
                NodeLog.log(
                        System.Logger.Level.WARNING,
                        damaged.why() + "; this member votes again once it has asked the others for their ceilings");
            }
            if (directory != null) {
                settings.warnings().forEach(warning -> NodeLog.log(System.Logger.Level.WARNING, warning));
            }
            running.isStarted = true;
            running.transport.wake();
            isOpen = true;
            return running;
        } finally {
            if (!isOpen && directory != null) {
                directory.close();
            }
        }
    }

    GroupSettings settings() {
        return settings;
    }

    // ---- what clients ask for ----

    /**
     * Begins a call. Its result comes on the transport's thread.
     *
     * @return fails if the node is closed or has failed, or does too much already; never because of the call's outcome
     */
    public CompletableFuture<CallResult> call(Call call, CallContext context) {
        CompletableFuture<CallResult> result = new CompletableFuture<>();
        String why = failure;
        if (why != null) {
            return CompletableFuture.failedFuture(new StoreSetupException(why));
        }
        if (calls.size() >= CALLS_MAX) {
            return CompletableFuture.failedFuture(new StoreUnavailableException(
                    settings.scheme().word() + ": " + CALLS_MAX + " calls are under way already"));
        }
        long id = nextCall.getAndIncrement();
        // In this order, a suspension in between makes the deadline earlier.
        long now = SystemClock.now().bootNanos();
        long left = context.remaining().toNanos();
        // After the context's clock, which may throw: nobody would take the call out again.
        calls.put(id, result);
        tell(new NodeEvent.Begin(id, call, now + left));
        if (closed || failure != null) {
            // The thread may have ended before it could end this call.
            end(id, null);
        }
        return result;
    }

    /** Like {@link dev.mandate.spi.Ordered#stands}, for one of the clients. */
    public void stands(Object client, RecordKey key, Stance stance) {
        synchronized (stancesLock) {
            stances.stands(client, key, stance);
        }
    }

    /** This client campaigns in no election any more. */
    public void leave(Object client) {
        synchronized (stancesLock) {
            stances.leave(client);
        }
    }

    /** Notifies the clients of changes and of their places. */
    public Audience audience() {
        return audience;
    }

    /** The status of the links. */
    public List<LinkStatus> links() {
        return transport.status();
    }

    /** The recent status of its voter; empty for a guest. */
    public Optional<VoterStatus> voter() {
        return Optional.ofNullable(status);
    }

    // ---- the transport's thread ----

    private void tell(NodeEvent event) {
        if (!closed && failure == null) {
            events.add(new Heard(List.of(event), 0));
            if (isStarted) {
                transport.wake();
            }
        }
    }

    /** Takes the events of one payload, which it may drop. On the transport's thread, within its turn. */
    private void hear(List<NodeEvent> what, int bytes) {
        if (heardBytes.get() + bytes <= HEARD_BYTES_MAX && !closed && failure == null) {
            heardBytes.addAndGet(bytes);
            events.add(new Heard(what, bytes));
        }
    }

    /**
     * Events that came together.
     *
     * @param bytes how much of the waiting payloads it is; 0 for what does not come from peers
     */
    private record Heard(List<NodeEvent> what, int bytes) {}

    /** Handles all events and whatever is due; returns when the next turn is due. */
    private long turn() {
        if (!isStarted || closed || failure != null) {
            return Long.MAX_VALUE;
        }
        boolean isDue = !isBegun || wakeAtNanos != Long.MAX_VALUE && System.nanoTime() - wakeAtNanos >= 0;
        if (!isDue && events.isEmpty()) {
            return wakeAtNanos;
        }
        try {
            Now now = SystemClock.now();
            if (!isBegun) {
                isBegun = true;
                take(node.begin(now));
            }
            take(node.step(new NodeEvent.Tick(), now));
            Heard heard = events.poll();
            for (int left = BATCH_MAX; left > 0 && heard != null; left--) {
                heardBytes.addAndGet(-heard.bytes());
                for (NodeEvent event : heard.what()) {
                    // A process that was stopped between two events must not act by the clock of the first.
                    now = SystemClock.since(now);
                    if (event instanceof NodeEvent.Link link) {
                        audience.linked(link.up());
                    }
                    take(node.step(event, now));
                }
                heard = left > 1 ? events.poll() : null;
            }
            status = node.status(now).orElse(null);
            outbox.flush();
            wakeAtNanos = events.isEmpty() ? node.wakeAtNanos(now) : now.monotonicNanos();
            return wakeAtNanos;
        } catch (Throwable e) {
            fail(e);
            return Long.MAX_VALUE;
        }
    }

    /** Stops it for good. */
    void fail(Throwable e) {
        // First, and a constant: making the sentence may fail as well.
        failure = STOPPED;
        try {
            failure = settings.scheme().word() + ": this node has stopped: " + e
                    + "; restart the process, and report this";
        } catch (RuntimeException | Error worse) {
            // The log may show the cause all the same.
        }
        try {
            transport.close();
        } catch (RuntimeException | Error worse) {
            // The transport is useless anyway: nobody gives it anything any more.
        }
        calls.keySet().forEach(id -> end(id, null));
        NodeLog.log(System.Logger.Level.ERROR, String.valueOf(failure), e);
    }

    private void take(List<NodeAction> actions) {
        for (NodeAction action : actions) {
            if (action instanceof NodeAction.Send send) {
                outbox.add(send);
            } else if (action instanceof NodeAction.SendTurn send) {
                outbox.add(send);
            } else if (action instanceof NodeAction.Persist persist && disk != null) {
                disk.write(persist);
            } else if (action instanceof NodeAction.Ended ended) {
                end(ended.id(), ended.result());
            } else if (action instanceof NodeAction.Changed changed) {
                audience.changed(changed.observation());
            } else if (action instanceof NodeAction.Placed placed) {
                audience.placed(placed.key(), placed.place());
            } else if (action instanceof NodeAction.AskedToLeave asked) {
                audience.askedToLeave(asked.key(), asked.term());
            }
        }
    }

    /** Ends a call; null means that there will be no result. */
    private void end(long id, @Nullable CallResult result) {
        CompletableFuture<CallResult> call = calls.remove(id);
        if (call == null) {
            return;
        }
        if (result != null) {
            call.complete(result);
        } else {
            call.completeExceptionally(
                    new StoreUnavailableException(settings.scheme().word() + ": this node is closed"));
        }
    }

    /** Stops voting, ends all calls and links, and lets another process be this member. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        transport.close();
        if (disk != null) {
            disk.close();
        }
        calls.keySet().forEach(id -> end(id, null));
    }
}
