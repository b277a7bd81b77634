package dev.mandate.peers.node;

import dev.mandate.engine.Entropy;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Moment;
import dev.mandate.peers.register.Proposal;
import dev.mandate.peers.register.ProposalSettings;
import dev.mandate.peers.register.ProposalStep.Send;
import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one node that are under way. Writes of one key start one after the other, because together they only
 * hinder each other: each waits for its turn, but no longer than half the time until its deadline.
 */
final class Calls {
    private final NodeSettings settings;
    private final Entropy entropy;
    private final Map<Long, Entry> running = new LinkedHashMap<>();

    /** By the ids that answers carry. */
    private final Map<Id, Entry> awaiting = new HashMap<>();

    private final Map<RecordKey, Turns> writes = new HashMap<>();

    /** When {@link #tick} is needed; too early at worst. */
    private long wakeNanos = Long.MAX_VALUE;

    /** Members whose link is up. */
    private long up;

    /** The highest counter seen, for any key. */
    private long seen;

    /** The highest counter promised by this node's voter for a key; 0 for a guest. */
    private final ToLongFunction<RecordKey> promised;

    /** A call, and the ids under which voters answer it. */
    private static final class Entry {
        final NodeEvent.Begin begin;
        final List<Integer> preference;
        final List<Id> ids = new ArrayList<>();
        /** The key it writes, null for none. */
        final @Nullable RecordKey key;

        /** Null until it begins. */
        @Nullable
        Running running;

        long beginsByNanos;

        Entry(NodeEvent.Begin begin, List<Integer> preference) {
            this.begin = begin;
            this.preference = preference;
            this.key = begin.call() instanceof Call.Acquire c
                    ? c.key()
                    : begin.call() instanceof Call.Update c
                            ? c.key()
                            : begin.call() instanceof Call.Release c ? c.key() : null;
        }
    }

    /** The writes of one key. */
    private static final class Turns {
        int underWay;
        final ArrayDeque<Entry> waiting = new ArrayDeque<>();
    }

    /** A message, and when it must have left. */
    record Sent(Send send, long untilNanos) {}

    /** What calls want done. */
    record Steps(List<Sent> sends, List<NodeAction.Ended> ended) {}

    Calls(NodeSettings settings, ToLongFunction<RecordKey> promised, Entropy entropy) {
        this.settings = settings;
        this.promised = promised;
        this.entropy = entropy;
    }

    /** Begins a call; {@code isVoting}: whether this node's own voter would answer. */
    Steps begin(NodeEvent.Begin begin, boolean isVoting, Moment now) {
        Entry entry = new Entry(begin, preference(isVoting));
        id(entry);
        running.put(begin.id(), entry);
        Steps steps = new Steps(new ArrayList<>(), new ArrayList<>());
        Turns turns = entry.key == null ? null : writes.computeIfAbsent(entry.key, absent -> new Turns());
        if (turns == null || turns.underWay == 0) {
            start(entry, steps, now);
        } else {
            turns.waiting.add(entry);
            entry.beginsByNanos = now.nanos() + Math.max(0, begin.deadlineNanos() - now.nanos()) / 2;
            wakeNanos = Math.min(wakeNanos, entry.beginsByNanos);
        }
        return steps;
    }

    /** Starts a call, and those whose turn comes with its end: one by one, as many may be late after a suspension. */
    private void start(Entry first, Steps steps, Moment now) {
        for (Entry entry = first; entry != null; ) {
            Turns turns = entry.key == null ? null : writes.get(entry.key);
            if (turns != null) {
                turns.waiting.remove(entry);
                turns.underWay++;
            }
            Running call = call(entry);
            entry.running = call;
            entry = went(entry, call.begin(now), steps);
        }
    }

    private Running call(Entry entry) {
        Id id = entry.ids.get(0);
        Call call = entry.begin.call();
        List<Integer> preference = entry.preference;
        long deadlineNanos = entry.begin.deadlineNanos();
        if (call instanceof Call.AskStatus) {
            return new Inquiry(settings.group(), id, deadlineNanos);
        } else if (call instanceof Call.ListKeys list) {
            return new PageOfKeys(
                    settings,
                    id,
                    list,
                    preference,
                    deadlineNanos,
                    () -> id(entry),
                    (key, read) ->
                            Proposal.read(proposal(read, preference, above(key, Epoch.NONE), deadlineNanos), key));
        }
        return new OneKey(proposal(call, id, preference, deadlineNanos));
    }

    private Proposal proposal(Call call, Id id, List<Integer> preference, long deadlineNanos) {
        if (call instanceof Call.Acquire c) {
            ProposalSettings how = proposal(id, preference, above(c.key(), c.basis()), deadlineNanos);
            return Proposal.acquire(how, c.key(), c.basis(), c.record());
        } else if (call instanceof Call.Update c) {
            ProposalSettings how = proposal(id, preference, above(c.key(), c.basis()), deadlineNanos);
            return Proposal.update(how, c.key(), c.basis(), c.record(), c.intent());
        } else if (call instanceof Call.Release c) {
            ProposalSettings how = proposal(id, preference, above(c.key(), c.basis()), deadlineNanos);
            return Proposal.release(how, c.key(), c.basis());
        } else if (call instanceof Call.Read c) {
            return Proposal.read(proposal(id, preference, above(c.key(), Epoch.NONE), deadlineNanos), c.key());
        }
        throw new AssertionError("unknown call " + call);
    }

    /** The counter that a call must exceed, as far as known here: so voters seldom refuse it for its counter alone. */
    private long above(RecordKey key, Epoch basis) {
        return Math.max(Math.max(seen, basis.counter()), promised.applyAsLong(key));
    }

    private ProposalSettings proposal(Id id, List<Integer> preference, long above, long deadlineNanos) {
        return new ProposalSettings(
                settings.group(),
                id,
                preference,
                above,
                id.low(),
                deadlineNanos,
                Math.max(1, settings.quarantineNanos() / 2),
                settings.resendNanos(),
                settings.backOffNanos(),
                settings.roundsMax());
    }

    private Id id(Entry entry) {
        Id id = entropy.nextId();
        entry.ids.add(id);
        awaiting.put(id, entry);
        return id;
    }

    /** Itself first, if its voter votes; then voters whose link is up, rotated by the node's place; then the rest. */
    private List<Integer> preference(boolean isVoting) {
        int voters = settings.group().voters();
        List<Integer> near = new ArrayList<>();
        List<Integer> far = new ArrayList<>();
        for (int i = 0; i < voters; i++) {
            int voter = (Math.max(0, settings.self()) + i) % voters;
            boolean isNear = voter == settings.self() ? isVoting : (up & 1L << voter) != 0;
            (isNear ? near : far).add(voter);
        }
        near.addAll(far);
        return near;
    }

    Steps answered(int voter, Message.Answer answer, Moment now) {
        Steps steps = new Steps(new ArrayList<>(), new ArrayList<>());
        Entry entry = awaiting.get(answer.call());
        if (entry != null && entry.running != null) {
            take(entry, entry.running.answered(voter, answer, now), steps, now);
        }
        return steps;
    }

    /** A link to a member came up, or went down. */
    Steps link(int member, boolean isUp, Moment now) {
        if (!isUp) {
            up &= ~(1L << member);
            return new Steps(List.of(), List.of());
        }
        up |= 1L << member;
        return all(call -> call.reached(member, now), now);
    }

    /** The members whose link is up: bit n for place n. */
    long links() {
        return up;
    }

    /** Time passed. */
    Steps tick(Moment now) {
        if (now.nanos() < wakeNanos) {
            return new Steps(List.of(), List.of());
        }
        wakeNanos = Long.MAX_VALUE;
        Steps steps = all(call -> now.nanos() - call.wakeAtNanos() >= 0 ? call.tick(now) : Running.Step.NOTHING, now);
        for (Entry entry : waiting()) {
            if (now.nanos() - entry.beginsByNanos >= 0) {
                start(entry, steps, now);
            } else {
                wakeNanos = Math.min(wakeNanos, entry.beginsByNanos);
            }
        }
        return steps;
    }

    private List<Entry> waiting() {
        return writes.values().stream().flatMap(turns -> turns.waiting.stream()).toList();
    }

    /** Ends all calls except status queries. */
    Steps abandon(CallResult result, Moment now) {
        List<Entry> waiting = waiting();
        writes.values().forEach(turns -> turns.waiting.clear());
        Steps steps =
                all(call -> call instanceof Inquiry ? Running.Step.NOTHING : new Running.Step(List.of(), result), now);
        waiting.forEach(entry -> ended(entry, result, steps));
        return steps;
    }

    private Steps all(Function<Running, Running.Step> push, Moment now) {
        Steps steps = new Steps(new ArrayList<>(), new ArrayList<>());
        for (Entry entry : List.copyOf(running.values())) {
            if (entry.running != null) {
                take(entry, push.apply(entry.running), steps, now);
            }
        }
        return steps;
    }

    private void take(Entry entry, Running.Step step, Steps steps, Moment now) {
        Entry next = went(entry, step, steps);
        if (next != null) {
            start(next, steps, now);
        }
    }

    /** Takes what a call wants done; returns the write that begins now, null for none. */
    private @Nullable Entry went(Entry entry, Running.Step step, Steps steps) {
        Running call = entry.running;
        if (call == null) {
            return null;
        }
        step.sends().forEach(send -> steps.sends.add(new Sent(send, call.untilNanos())));
        if (step.result() != null) {
            seen = Math.max(seen, call.seen());
            entry.running = null;
            ended(entry, step.result(), steps);
            return next(entry.key);
        }
        wakeNanos = Math.min(wakeNanos, call.wakeAtNanos());
        return null;
    }

    private void ended(Entry entry, CallResult result, Steps steps) {
        running.remove(entry.begin.id());
        entry.ids.forEach(awaiting::remove);
        steps.ended.add(new NodeAction.Ended(entry.begin.id(), result));
        if (running.isEmpty()) {
            wakeNanos = Long.MAX_VALUE;
        }
    }

    /** A write of {@code key} ended: the one whose turn it is, null for none. */
    private @Nullable Entry next(@Nullable RecordKey key) {
        Turns turns = key == null ? null : writes.get(key);
        if (turns == null || --turns.underWay > 0) {
            return null;
        }
        Entry next = turns.waiting.peek();
        if (next == null) {
            writes.remove(key);
        }
        return next;
    }

    long wakeAtNanos() {
        return wakeNanos;
    }
}
