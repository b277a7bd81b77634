package dev.mandate.engine;

import dev.mandate.engine.Pending.Kind;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one step of an election wants done, and its one request in flight. */
final class Outbox {
    private final RecordKey key;
    private final ElectionSettings settings;
    private final Shared shared;
    private @Nullable Pending pending;
    private @Nullable String fault;
    private boolean distrusted;
    /** Null between steps, and while a step wants nothing: a list for each of thousands of elections would add up. */
    private @Nullable List<Action> out;

    Outbox(RecordKey key, ElectionSettings settings, Shared shared) {
        this.key = key;
        this.settings = settings;
        this.shared = shared;
    }

    private long timeoutNanos() {
        return settings.timing().requestTimeoutNanos();
    }

    /** Begins a step. */
    void open() {
        out = null;
    }

    /** What this step wants done. */
    List<Action> close() {
        List<Action> wanted = out;
        out = null;
        return wanted == null ? List.of() : wanted;
    }

    void announce(ElectionAction announcement) {
        add(announcement);
    }

    private void add(ElectionAction action) {
        if (out == null) {
            out = new ArrayList<>(2);
        }
        out.add(action);
    }

    /** The request in flight, or null. */
    @Nullable
    Pending pending() {
        return pending;
    }

    /** Takes the pending request if it is {@code request}; null otherwise. */
    @Nullable
    Pending take(long request) {
        Pending asked = pending;
        if (asked == null || asked.request() != request) {
            return null;
        }
        pending = null;
        return asked;
    }

    /** Takes the pending request if its answer is no longer awaited; null otherwise. */
    @Nullable
    Pending takeOverdue(long nowNanos) {
        return pending == null || nowNanos < pending.untilNanos() ? null : take(pending.request());
    }

    /** Whether a write may be sent: nothing is pending, or only a read, which the write replaces. */
    boolean isFree() {
        return pending == null || pending.kind() == Kind.READ;
    }

    /** Whether a read is under way. */
    boolean isReading() {
        return pending != null && pending.kind() == Kind.READ;
    }

    /** Forgets a pending read; its answer will be dropped. */
    void abandonRead() {
        if (isFree()) {
            pending = null;
        }
    }

    void read(Now now) {
        add(new ElectionAction.Read(key, ask(Kind.READ, now), timeoutNanos()));
    }

    void acquire(Observation basis, LeaderRecord proposal, @Nullable SessionLease session, Now now) {
        add(new ElectionAction.Acquire(key, ask(Kind.ACQUIRE, now), timeoutNanos(), basis, proposal, session));
    }

    /** The first update of a record writes its term in; from then on its revision no longer matters. */
    void update(Kind kind, Observation.Held held, LeaderRecord record, Intent intent, Now now) {
        add(new ElectionAction.Update(key, ask(kind, now), timeoutNanos(), held, record.withTerm(held.term()), intent));
    }

    void release(Kind kind, Observation.Held held, Now now) {
        add(new ElectionAction.Release(key, ask(kind, now), timeoutNanos(), held));
    }

    void erase(Observation.Vacant basis, Now now) {
        add(new ElectionAction.Erase(key, ask(Kind.ERASE, now), timeoutNanos(), basis));
    }

    /** Whether the removal of what a release left is under way. */
    boolean isErasing() {
        return pending != null && pending.kind() == Kind.ERASE;
    }

    private long ask(Kind kind, Now now) {
        Pending asked = new Pending(kind, shared.requests().getAsLong(), now, now.monotonicNanos() + timeoutNanos());
        pending = asked;
        return asked.request();
    }

    /** The store will not work until somebody changes something: announced once. */
    void fault(String message) {
        if (!message.equals(fault)) {
            fault = message;
            announce(new ElectionAction.Fault(key, message));
        }
    }

    /** The store answers, but its answers cannot be relied on: a fault until the next term begins. */
    void distrust(String message) {
        fault(message);
        distrusted = true;
    }

    /** A term begins. */
    void trust() {
        distrusted = false;
        well();
    }

    /** The store gave a good answer. */
    void well() {
        if (fault != null && !distrusted) {
            fault = null;
            announce(new ElectionAction.Fault(key, null));
        }
    }

    boolean isFaulty() {
        return fault != null;
    }
}
