package dev.mandate.peers.node;

import dev.mandate.engine.Entropy;
import dev.mandate.engine.Now;
import dev.mandate.peers.order.Order;
import dev.mandate.peers.order.OrderAction;
import dev.mandate.peers.order.OrderEvent;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Moment;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Voter;
import dev.mandate.peers.register.VoterAction;
import dev.mandate.peers.register.VoterEvent;
import dev.mandate.peers.register.VoterStatus;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group: its voter, its clients' calls, and its part in the order; or a guest, which has only calls. A
 * deterministic function with memory: no event may throw, whatever others send.
 *
 * <p>Messages to its own voter never touch the network, so a member counts as one voter even without it. While members
 * disagree about their group, the voter takes part in nothing and calls end at once: two lists may have two majorities.
 * That ends once no disagreement was seen for a quarantine.
 *
 * <p>Not safe for use from several threads.
 */
public final class Node {
    /** Senders from here on are guests. */
    public static final long GUESTS_FROM = 1L << 20;

    private static final long LOOK_AGAIN_NANOS = 1_000_000;

    private final NodeSettings settings;

    /** Null for a guest. */
    private final @Nullable Voter voter;

    private final Order order;
    private final Calls calls;
    private final NodeHints hints;

    /** Ids of reads for {@link #hints}, used by no client, and the keys they read. */
    private final Map<Long, RecordKey> newsReads = new HashMap<>();

    private long newsRead = -1;

    /** Messages of this node to itself. */
    private final Deque<Message> own = new ArrayDeque<>();

    private List<NodeAction> out = new ArrayList<>();
    private Now now = new Now(0, 0, 0);
    private boolean isVoting;
    private @Nullable String disagreement;
    private long disagreedNanos;

    /**
     * Makes a node that is about to start. Call {@link #begin} next.
     *
     * @param voter null for a guest
     * @param entropy for the ids of calls
     */
    public Node(NodeSettings settings, @Nullable Voter voter, Order order, Entropy entropy) {
        if (settings.isGuest() != (voter == null)) {
            throw new IllegalArgumentException("a member has a voter, and a guest has none");
        }
        this.settings = settings;
        this.voter = voter;
        this.order = order;
        this.calls = new Calls(settings, key -> voter == null ? 0 : voter.promised(key), entropy);
        this.hints = new NodeHints(settings.resendNanos());
    }

    /** Starts. Call once, first. */
    public List<NodeAction> begin(Now at) {
        now = at;
        if (voter != null) {
            take(voter.begin());
        }
        return finished();
    }

    /** Takes one event. Total and deterministic. */
    public List<NodeAction> step(NodeEvent event, Now at) {
        now = at;
        if (disagreement != null && at.monotonicNanos() - disagreedNanos >= settings.quarantineNanos()) {
            disagreement = null;
        }
        if (event instanceof NodeEvent.Received e) {
            received(e);
        } else if (event instanceof NodeEvent.ReceivedTurn e) {
            turn(new OrderEvent.Received(e.from(), e.message()));
        } else if (event instanceof NodeEvent.Begin e) {
            begin(e);
        } else if (event instanceof NodeEvent.StanceChanged e) {
            turn(new OrderEvent.StanceChanged(e.key(), e.stance()));
        } else if (event instanceof NodeEvent.Link e) {
            link(e);
        } else if (event instanceof NodeEvent.Persisted e) {
            voter(new VoterEvent.Persisted(e.sequence()));
        } else if (event instanceof NodeEvent.PersistFailed e) {
            voter(new VoterEvent.PersistFailed(e.sequence()));
        } else if (event instanceof NodeEvent.Watched e) {
            hints.want(e.watched());
        } else if (event instanceof NodeEvent.Disagreed e) {
            disagree(e.sentence());
        }
        inTime();
        return finished();
    }

    /** When to call {@link #step} with a {@link NodeEvent.Tick} at the latest, on the monotonic clock. */
    public long wakeAtNanos(Now at) {
        long wake = Math.min(order.wakeAtNanos(), hints.wakeAtNanos());
        if (voter != null) {
            wake = Math.min(wake, voter.wakeAtNanos(at.monotonicNanos()));
        }
        long call = calls.wakeAtNanos();
        if (call == Long.MAX_VALUE) {
            return wake;
        }
        // The clock that counts suspensions is coarse: read again at once, it shows the same.
        long left = call - at.bootNanos();
        return Math.min(wake, at.monotonicNanos() + (left <= 0 ? 0 : Math.max(left, LOOK_AGAIN_NANOS)));
    }

    /** The status of its voter; empty for a guest. */
    public Optional<VoterStatus> status(Now at) {
        return Optional.ofNullable(voter).map(each -> each.status(at.monotonicNanos()));
    }

    /** What members currently disagree about. */
    public Optional<String> disagreement() {
        return Optional.ofNullable(disagreement);
    }

    private List<NodeAction> finished() {
        while (!own.isEmpty()) {
            Message message = own.removeFirst();
            if (message instanceof Message.Answer answer) {
                take(calls.answered(settings.self(), answer, moment()));
            } else {
                voter(new VoterEvent.Received(settings.self(), message));
            }
        }
        votes();
        List<NodeAction> done = out;
        out = new ArrayList<>();
        return done;
    }

    private void votes() {
        boolean votes = voter != null && voter.isVoting();
        if (votes != isVoting) {
            isVoting = votes;
            turn(new OrderEvent.Votes(votes));
        }
    }

    private Moment moment() {
        return new Moment(now.bootNanos(), now.monotonicNanos(), now.wallMillis());
    }

    /** Does whatever is due. */
    private void inTime() {
        if (now.monotonicNanos() >= order.wakeAtNanos()) {
            turn(OrderEvent.Tick.INSTANCE);
        }
        if (voter != null && now.monotonicNanos() - voter.wakeAtNanos(now.monotonicNanos()) >= 0) {
            voter(new VoterEvent.Tick());
        }
        for (RecordKey key = hints.due(now.monotonicNanos()); key != null; key = hints.due(now.monotonicNanos())) {
            newsReads.put(newsRead, key);
            begin(new NodeEvent.Begin(newsRead--, new Call.Read(key), now.bootNanos() + settings.quarantineNanos()));
        }
        take(calls.tick(moment()));
    }

    private void received(NodeEvent.Received e) {
        Message message = e.message();
        boolean isMember = settings.group().has((int) Math.min(e.from(), Integer.MAX_VALUE)) && e.from() >= 0;
        if (message instanceof Message.Answer answer) {
            if (isMember) {
                take(calls.answered((int) e.from(), answer, moment()));
            }
        } else if (mayAsk(e.from(), isMember, message)) {
            voter(new VoterEvent.Received(e.from(), message));
        }
    }

    private boolean mayAsk(long from, boolean isMember, Message message) {
        if (message instanceof Message.Join join) {
            return isMember && join.voter() == from;
        } else if (message instanceof Message.Welcome welcome) {
            return isMember && welcome.voter() == from;
        }
        boolean isKnown = isMember || from >= GUESTS_FROM;
        return isKnown && (disagreement == null || message instanceof Message.AskStatus);
    }

    private void begin(NodeEvent.Begin e) {
        if (disagreement != null && !(e.call() instanceof Call.AskStatus)) {
            ended(new NodeAction.Ended(e.id(), new CallResult.Disagreed(disagreement)));
            return;
        }
        take(calls.begin(e, isVoting, moment()));
    }

    private void link(NodeEvent.Link e) {
        if (settings.group().has(e.member()) && e.member() != settings.self()) {
            turn(new OrderEvent.Link(e.member(), e.up()));
            take(calls.link(e.member(), e.up(), moment()));
        }
    }

    private void disagree(String sentence) {
        disagreement = sentence;
        disagreedNanos = now.monotonicNanos();
        if (voter != null) {
            // If two processes are this member, neither may answer for the other, nor count answers to it.
            own.clear();
        }
        take(calls.abandon(new CallResult.Disagreed(sentence), moment()));
    }

    private void voter(VoterEvent event) {
        if (voter != null) {
            take(voter.step(event, now.monotonicNanos()));
        }
    }

    private void take(List<VoterAction> actions) {
        for (VoterAction action : actions) {
            if (action instanceof VoterAction.Reply reply) {
                answer(reply.to(), reply.message());
            } else if (action instanceof VoterAction.Tell tell) {
                send(tell.voter(), tell.message(), Long.MAX_VALUE);
            } else if (action instanceof VoterAction.Persist persist) {
                out.add(new NodeAction.Persist(persist.sequence(), persist.state()));
            } else if (action instanceof VoterAction.Changed changed) {
                Observation seen = hints.accepted(changed.key(), changed.value(), now.monotonicNanos());
                if (seen != null) {
                    out.add(new NodeAction.Changed(seen));
                }
            }
        }
    }

    /** Drops answers that waited for the disk when members began to disagree. */
    private void answer(long to, Message message) {
        if (message instanceof Message.Status status) {
            send(to, status.in(calls.links(), disagreement != null), Long.MAX_VALUE);
        } else if (disagreement == null || message instanceof Message.Welcome) {
            send(to, message, Long.MAX_VALUE);
        }
    }

    private void take(Calls.Steps steps) {
        steps.sends().forEach(each -> send(each.send().voter(), each.send().message(), each.untilNanos()));
        steps.ended().forEach(this::ended);
    }

    private void ended(NodeAction.Ended ended) {
        RecordKey key = newsReads.remove(ended.id());
        if (key == null) {
            out.add(ended);
        } else if (ended.result() instanceof CallResult.Ended read && read.outcome() instanceof Outcome.Read seen) {
            out.add(new NodeAction.Changed(hints.read(key, seen.value())));
        }
    }

    private void turn(OrderEvent event) {
        for (OrderAction action : order.step(event, now.monotonicNanos())) {
            if (action instanceof OrderAction.Send send) {
                out.add(new NodeAction.SendTurn(send.to(), send.message()));
            } else if (action instanceof OrderAction.Placed placed) {
                out.add(new NodeAction.Placed(placed.key(), placed.place()));
            } else if (action instanceof OrderAction.AskedToLeave asked) {
                out.add(new NodeAction.AskedToLeave(asked.key(), asked.term()));
            }
        }
    }

    private void send(long to, Message message, long untilNanos) {
        if (to == settings.self()) {
            own.add(message);
        } else {
            // Only a message that may choose a value must not be late.
            out.add(new NodeAction.Send(to, message, message instanceof Message.Accept ? untilNanos : Long.MAX_VALUE));
        }
    }
}
