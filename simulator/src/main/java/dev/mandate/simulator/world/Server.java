package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.SessionAction;
import dev.mandate.internal.memory.ModelStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The store with its own clock. Checkers look at every change, and watchers are told of it. */
final class Server {
    private final World world;
    final ModelStore store;
    final Clock clock;
    /** A true time not later than the next expiry. */
    long wakeAt = Long.MAX_VALUE;

    /** The true time at which a holder last released the first election. */
    long releasedAt = Long.MIN_VALUE;

    /** By how much the clock that ends leases was set in total, and how far back. */
    private long steppedNanos;

    private long setBackNanos;
    private long setBackAt = Long.MIN_VALUE / 2;
    private long noStepForwardBefore = Long.MIN_VALUE;

    Server(World world, Clock clock) {
        this.world = world;
        this.clock = clock;
        this.store = new ModelStore(world.knobs.traits, world.knobs.options);
    }

    long nanos() {
        return clock.nanos(world.now) + steppedNanos;
    }

    /** Sets the clock that ends leases, if it is a wall clock: forward by at most the reserve, once in two leases. */
    boolean stepClock(SplittableRandom random) {
        if (!world.knobs.endsByWallClock) {
            return false;
        }
        long lease = world.knobs.leaseMax();
        boolean forward = random.nextBoolean();
        if (forward && world.now < noStepForwardBefore) {
            return false;
        }
        long step = forward ? 1 + random.nextLong(world.knobs.traits.reserve().toNanos()) : -1 - random.nextLong(lease);
        steppedNanos += step;
        clock.step(step, world.now);
        if (forward) {
            noStepForwardBefore = world.now + clock.trueNanos(2 * lease);
        } else {
            setBackNanos -= step;
            setBackAt = world.now;
        }
        wake();
        return true;
    }

    /** By how much longer, in true time, a lease may run than its last renewal meant. */
    long delayedBy() {
        long most = clock.trueNanos(world.knobs.leaseMax() + setBackNanos);
        return world.now - setBackAt < most ? clock.trueNanos(setBackNanos) : 0;
    }

    /** Executes a request and returns the answer. */
    Object execute(Call call) {
        if (call.from.isRefused && call.fromEpoch == call.from.epoch) {
            world.fired(Fault.REFUSING);
            return Answer.FAULTED;
        }
        if (call.from.isBarred && call.isOfQueue() || call.from.isDenied && call.isOfInstance()) {
            return Answer.FAULTED;
        }
        tellOfExpired();
        Object answer = executeNow(call);
        if (!(call.action instanceof ElectionAction.Read)) {
            settle();
        }
        return answer;
    }

    /** After a write: tells watchers what became vacant. */
    void settle() {
        tellOfExpired();
        arm();
    }

    private Object executeNow(Call call) {
        if (call.action instanceof ElectionAction.Read a) {
            return store.read(a.key(), nanos());
        } else if (call.action instanceof ElectionAction.Update a) {
            boolean renews = a.intent() == Intent.RENEW;
            boolean over = renews && store.read(a.key(), nanos()) instanceof Observation.Vacant;
            WriteOutcome outcome = store.update(a.basis(), a.record(), a.intent(), nanos());
            if (over && outcome instanceof WriteOutcome.Written) {
                world.fired(Fault.EXPIRED_RENEWED);
            }
            return changed(outcome, renews && !over);
        } else if (call.action instanceof ElectionAction.Acquire a) {
            return world.knobs.byHalves && isHalf(a) ? new SecondHalf(world, call, a).sent() : acquire(a);
        } else if (call.action instanceof ElectionAction.Release a) {
            WriteOutcome outcome = store.release(a.basis(), nanos());
            if (outcome instanceof WriteOutcome.Written && a.key().equals(World.key(0))) {
                releasedAt = world.now;
            }
            return changed(outcome, false);
        } else if (call.action instanceof SessionAction.Renew a) {
            SimSession session = (SimSession) a.handle();
            SessionRenewal renewal = store.renewSession(session.number, nanos());
            session.isKnownOver |= renewal == SessionRenewal.gone();
            return renewal;
        } else if (call.action instanceof SessionAction.Open a) {
            SimSession session =
                    new SimSession(store.openSession(a.leaseNanos(), nanos()), store.grantedNanos(a.leaseNanos()));
            call.from.sessions.opened(session, call.fromEpoch);
            return session;
        } else if (call.action instanceof SessionAction.End a) {
            SimSession session = (SimSession) a.handle();
            store.endSession(session.number, nanos());
            session.isKnownOver = true;
            return Answer.ENDED;
        }
        if (call.action instanceof ElectionAction.Erase a) {
            return changed(store.erase(a.basis(), nanos()), false);
        } else if (call.action instanceof QueueAction.ListPage a) {
            return store.list(a.prefix(), a.from(), world.knobs.pageSize, nanos());
        }
        if (call.follower != null && world.service != null) {
            return world.service.list(call.cursor);
        }
        return store.list(World.ALL, call.cursor, world.knobs.pageSize, nanos());
    }

    /** Acquires by this request, or by the second of two. */
    WriteOutcome acquire(ElectionAction.Acquire a) {
        WriteOutcome outcome =
                store.acquire(a.key(), a.basis(), a.proposal(), session(a), nanos(), clock.wallMillis(world.now));
        return changed(outcome, false);
    }

    /** Executes the first half of an acquire that takes two requests; false if that already decides it. */
    private boolean isHalf(ElectionAction.Acquire a) {
        if (a.basis() instanceof Observation.Vacant vacant) {
            return !world.knobs.kind.isBySession()
                    && store.claim(
                            a.key(),
                            vacant,
                            a.proposal().attempt(),
                            a.proposal().lease(),
                            nanos());
        }
        store.depose(a.key(), (Observation.Held) a.basis(), session(a), nanos());
        return true;
    }

    private static long session(ElectionAction.Acquire a) {
        return a.session() == null ? 0 : ((SimSession) a.session().handle()).number;
    }

    private WriteOutcome changed(WriteOutcome outcome, boolean renewal) {
        if (outcome instanceof WriteOutcome.Written written) {
            changed(written.now(), renewal);
        }
        return outcome;
    }

    private void changed(Observation now, boolean renewal) {
        if (Lines.isOf(now.key())) {
            world.lines.changed(now, renewal);
        } else if (!Service.isOf(now.key())) {
            changed(World.election(now.key()), now, renewal);
        } else if (world.service != null) {
            world.service.changed(now, renewal);
        }
    }

    private void changed(int election, Observation now, boolean renewal) {
        world.chronicle.stands(election, now, world.now);
        lookForSigns();
        if (now instanceof Observation.Held held && !held.isForeign()) {
            world.terms.stands(
                    election,
                    held.record().attempt(),
                    held.term(),
                    held.record().leave());
        } else {
            world.terms.vacated(election);
        }
        if (world.knobs.watch && (!renewal || world.knobs.watchShowsRenewals)) {
            world.network.hint(election, now);
        }
    }

    /** A session's write may be a sign of life in many elections. */
    private void lookForSigns() {
        if (world.knobs.kind.isJudged()) {
            for (int e = 0; e < world.knobs.elections; e++) {
                world.silences.stands(e, standing(e), world.now);
            }
            if (world.service != null) {
                world.service.lookForSigns();
            }
        }
    }

    private void tellOfExpired() {
        List<Observation> freed = store.expire(nanos());
        for (int i = 0; i < freed.size(); i++) {
            Observation vacant = freed.get(i);
            changed(vacant, false);
        }
    }

    private void arm() {
        lookForSigns();
        long next = store.nextExpiryNanos();
        wakeAt = next == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(world.now + 1, clock.when(next - steppedNanos, world.now));
    }

    /** Something may have expired. */
    void wake() {
        settle();
    }

    /** What the key holds at this instant. */
    Observation standing(int election) {
        return store.read(World.key(election), nanos());
    }

    /** What the key holds at this instant. */
    Observation standing(RecordKey key) {
        return store.read(key, nanos());
    }

    /** Somebody deletes a registration by hand. */
    void deleteInstance(RecordKey key) {
        tellOfExpired();
        if (store.delete(key, nanos())) {
            changed(standing(key), false);
        }
        arm();
    }

    /** Somebody ends the lease of a place in a queue, and with a session all else that the lease keeps. */
    void endLease(RecordKey place) {
        tellOfExpired();
        store.endLease(place, nanos());
        tellOfExpired();
        arm();
    }

    /** The attempt in the store, or null. */
    @Nullable
    Id attempt(int election) {
        return standing(election) instanceof Observation.Held held && !held.isForeign()
                ? held.record().attempt()
                : null;
    }

    // ---- what operators and strangers do ----

    /** Asks the holder of {@code seen} to leave, if the record is unchanged. */
    void askToLeave(int election, Observation.Held seen) {
        Post post = world.holder(election, seen);
        if (store.update(seen, seen.record().withTerm(seen.term()).askedToLeave(), Intent.ASK_TO_LEAVE, nanos())
                instanceof WriteOutcome.Written written) {
            if (post != null) {
                post.askToLeave(seen.record().attempt());
            }
            changed(election, written.now(), false);
        }
    }

    /** Takes the lead from its holder; returns whether there was one. */
    boolean force(int election, Fault how) {
        tellOfExpired();
        if (!(standing(election) instanceof Observation.Held held)) {
            return false;
        }
        world.forcedOut(election, held, how);
        if (how == Fault.FORCED_RELEASE) {
            if (store.release(held, nanos()) instanceof WriteOutcome.Written written) {
                changed(election, written.now(), false);
            }
        } else if (how == Fault.DELETED) {
            store.delete(World.key(election), nanos());
            changed(election, standing(election), false);
        } else if (how == Fault.LEASE_ENDED) {
            store.endLease(World.key(election), nanos());
        }
        tellOfExpired();
        arm();
        return true;
    }

    /** Another program's record is removed. */
    void removeForeign(int election) {
        if (standing(election) instanceof Observation.Held held && held.isForeign()) {
            store.delete(World.key(election), nanos());
            changed(election, standing(election), false);
        }
    }

    /** Another program writes its record. */
    void overwrite(int election, java.time.@Nullable Duration lease) {
        tellOfExpired();
        if (standing(election) instanceof Observation.Held held) {
            world.forcedOut(election, held, Fault.OVERWRITTEN);
        }
        changed(election, store.overwriteForeign(World.key(election), "stranger", lease, nanos()), false);
        arm();
    }
}
