package dev.mandate.simulator.runtime;

import dev.mandate.internal.memory.ModelStore;
import dev.mandate.simulator.check.TermCheck;
import dev.mandate.simulator.world.Clock;
import dev.mandate.simulator.world.Hazard;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The model store on its own clock. It keeps a history, against which reports to users are checked. */
final class StoreServer {
    /** What an election's record showed: its candidate, term and value; a null candidate for none. */
    record State(@Nullable String candidate, long term, String value) {
        boolean isVacant() {
            return candidate == null;
        }
    }

    private final RuntimeWorld world;
    final ModelStore store;
    final Clock clock;
    private final TermCheck terms;
    private final List<List<State>> history = new ArrayList<>();
    private final Observation[] shown;
    private @Nullable Event expiry;

    StoreServer(RuntimeWorld world, TermCheck terms) {
        this.world = world;
        this.terms = terms;
        this.store = new ModelStore(world.knobs.traits, world.knobs.options);
        this.clock = new Clock(world.knobs.serverRate, 0, RuntimeWorld.WALL_START_NANOS, false);
        this.shown = new Observation[world.knobs.elections];
        for (int e = 0; e < world.knobs.elections; e++) {
            history.add(new ArrayList<>());
            shown[e] = store.read(RuntimeWorld.key(e), nanos());
            history.get(e).add(new State(null, 0, ""));
        }
    }

    long nanos() {
        return clock.nanos(world.now());
    }

    long wallMillis() {
        return clock.wallMillis(world.now());
    }

    /** Runs an operation of the store and records the result. */
    <T> T execute(boolean isRenewal, Supplier<T> operation) {
        T result = operation.get();
        look(isRenewal);
        return result;
    }

    private void look(boolean isRenewal) {
        store.expire(nanos());
        for (int e = 0; e < shown.length; e++) {
            Observation now = store.read(RuntimeWorld.key(e), nanos());
            Observation before = shown[e];
            if (now == before || now.equals(before)) {
                continue;
            }
            shown[e] = now;
            List<State> states = history.get(e);
            State state = state(now);
            if (!state.equals(states.get(states.size() - 1))) {
                states.add(state);
            }
            if (now instanceof Observation.Held held && !held.isForeign()) {
                terms.stands(
                        e, held.record().attempt(), held.term(), held.record().leave());
            }
            if (world.knobs.traits.watches() && (!isRenewal || world.knobs.watchShowsRenewals)) {
                world.network.hint(new Hint.Seen(now));
            }
        }
        arm();
    }

    private static State state(Observation seen) {
        return seen instanceof Observation.Held held && !held.isForeign()
                ? new State(
                        held.record().candidate(), held.term(), held.record().value())
                : new State(null, 0, "");
    }

    private void arm() {
        long next = store.nextExpiryNanos();
        if (next == Long.MAX_VALUE) {
            return;
        }
        long at = Math.max(world.now() + 1, clock.when(next, world.now()));
        Event armed = expiry;
        if (armed == null || armed.at <= world.now() || at < armed.at) {
            expiry = world.put(at, null, "expiry", () -> look(false));
        }
    }

    Observation standing(int election) {
        return store.read(RuntimeWorld.key(election), nanos());
    }

    // ---- what was so ----

    /** The index of the first state from {@code from} on that matches; -1 if none does. */
    int find(int election, State state, int from) {
        List<State> states = history.get(election);
        for (int i = from; i < states.size(); i++) {
            State was = states.get(i);
            if (state.isVacant() ? was.isVacant() : was.equals(state)) {
                return i;
            }
        }
        return -1;
    }

    boolean stood(int election, State state) {
        return find(election, state, 0) >= 0;
    }

    // ---- what operators do ----

    /** Takes the lead from its holder; returns whether there was one. */
    boolean force(int election, Hazard how) {
        if (!(standing(election) instanceof Observation.Held held)) {
            return false;
        }
        world.forcedOut(election, held, how);
        RecordKey key = RuntimeWorld.key(election);
        execute(false, () -> switch (how) {
            case FORCED_RELEASE -> store.release(held, nanos());
            case DELETED -> store.delete(key, nanos());
            default -> store.endLease(key, nanos());
        });
        return true;
    }

    boolean askToLeave(int election) {
        if (!(standing(election) instanceof Observation.Held held)
                || held.isForeign()
                || held.record().leave()) {
            return false;
        }
        world.asked(election, held.term());
        WriteOutcome outcome = execute(
                false,
                () -> store.update(
                        held, held.record().withTerm(held.term()).askedToLeave(), Intent.ASK_TO_LEAVE, nanos()));
        return outcome instanceof WriteOutcome.Written;
    }
}
