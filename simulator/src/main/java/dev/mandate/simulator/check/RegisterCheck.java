package dev.mandate.simulator.check;

import dev.mandate.peers.node.Call;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Value;
import dev.mandate.spi.Id;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a register answers, for writes whose lease runs. A call is shown what was confirmed before it began, or a
 * descendant of that, and no refused write; tokens of acquires rise. A write's lease runs from the start of its call.
 */
public final class RegisterCheck {
    private final Judge judge;
    private final long runsNanos;
    private final Map<Epoch, Value> values = new HashMap<>();
    private final Map<Long, Running> running = new HashMap<>();
    /** By the id of the call, until when its refused write must not be shown. */
    private final Map<Id, Long> refused = new HashMap<>();

    private final List<Deque<Confirmed>> confirmed = new ArrayList<>();
    /** By write, when the call that proposed it began. */
    private final Map<Id, Long> begun = new HashMap<>();

    private final long[] tokens;
    private boolean tokensRise = true;
    private long calls;

    private record Confirmed(Value value, long at, long runsUntil) {}

    private static final class Running {
        final int election;
        final boolean acquires;
        final long begunAt;
        /** The highest token confirmed before the call began. */
        final long token;

        @Nullable
        Id id;

        Running(int election, boolean acquires, long begunAt, long token) {
            this.election = election;
            this.acquires = acquires;
            this.begunAt = begunAt;
            this.token = token;
        }
    }

    /** For {@code elections} elections; a lease takes at least {@code runsNanos} of true time. */
    public RegisterCheck(int elections, long runsNanos, Judge judge) {
        this.judge = judge;
        this.runsNanos = runsNanos;
        this.tokens = new long[elections];
        for (int i = 0; i < elections; i++) {
            confirmed.add(new ArrayDeque<>());
        }
    }

    /** From now on tokens may fall: a majority has forgotten its promises. */
    public void tokensMayFall() {
        tokensRise = false;
    }

    /** A call begins at {@code now}, in true time; returns its number. */
    public long begins(int election, Call call, long now) {
        running.put(++calls, new Running(election, call instanceof Call.Acquire, now, tokens[election]));
        return calls;
    }

    /** The call's id is known. */
    public void isNamed(long call, Id id) {
        Running known = running.get(call);
        if (known != null) {
            known.id = id;
            begun.put(id, known.begunAt);
        }
    }

    /** The last confirmed value whose lease runs, or null. */
    public @Nullable Value latest(int election) {
        Confirmed last = confirmed.get(election).peekLast();
        return last == null ? null : last.value;
    }

    /** A client asks voters to accept this. */
    public void carried(Value value) {
        values.putIfAbsent(value.write(), value);
    }

    /** A call ended. */
    public void ends(long call, Outcome outcome, long now) {
        Running ended = running.remove(call);
        if (ended == null) {
            return;
        }
        if (outcome instanceof Outcome.Read read) {
            shown(ended, read.value(), now);
        } else if (outcome instanceof Outcome.Written written) {
            written(ended, written.value());
            shown(ended, written.value(), now);
        } else if (outcome instanceof Outcome.Refused no) {
            if (ended.id != null) {
                refused.put(ended.id, ended.begunAt + runsNanos);
            }
            if (no.isKnown()) {
                shown(ended, no.value(), now);
            }
        }
    }

    private void written(Running ended, Value value) {
        values.putIfAbsent(value.write(), value);
        if (ended.acquires && value.record() != null) {
            long token = value.record().term();
            if (token <= ended.token && tokensRise) {
                judge.violated(
                        Invariant.TERMS,
                        "an acquire in election " + ended.election + " has token " + token + " after " + ended.token);
            }
            tokens[ended.election] = Math.max(tokens[ended.election], token);
        }
    }

    private void shown(Running ended, @Nullable Value value, long now) {
        if (value != null) {
            values.putIfAbsent(value.write(), value);
            Long until = refused.get(value.write().id());
            if (until != null && now < until && !value.write().id().equals(ended.id)) {
                judge.violated(
                        Invariant.REGISTER,
                        "a write with epoch " + value.write() + " in election " + ended.election
                                + " stands, but was refused");
            }
        }
        Deque<Confirmed> before = confirmed.get(ended.election);
        before.removeIf(each -> each.runsUntil <= now);
        for (Confirmed each : before) {
            if (each.at < ended.begunAt && !descends(value, each.value)) {
                judge.violated(
                        Invariant.REGISTER,
                        "election " + ended.election + " shows " + text(value) + ", which does not descend from "
                                + text(each.value) + ", which was confirmed before");
            }
        }
        Long begunAt = value == null ? null : begun.get(value.write().id());
        if (value != null
                && begunAt != null
                && begunAt + runsNanos > now
                && before.stream().noneMatch(each -> each.value.write().equals(value.write()))) {
            before.add(new Confirmed(value, now, begunAt + runsNanos));
        }
    }

    private static String text(@Nullable Value value) {
        return value == null
                ? "nothing"
                : (value.record() == null ? "a vacancy" : value.record().candidate()) + " of epoch " + value.write();
    }

    private boolean descends(@Nullable Value value, Value from) {
        Value at = value;
        for (int i = 0; at != null && i < 1000; i++) {
            if (at.write().equals(from.write())) {
                return true;
            }
            at = values.get(at.basis());
        }
        return false;
    }
}
