package dev.mandate.internal;

import dev.mandate.StoreSetupException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Removes what is left at the key of a registration whose machine has withdrawn, unless somebody else holds it by now:
 * a record of this client's that could not be released, and what a release leaves. Tries for some minutes, ever less
 * often. What is left then only takes space, and later registrants tidy it. On the loop alone.
 */
final class Erasure {
    private static final int TRIES_MAX = 16;

    private final ClientContext client;
    private final TimedCalls calls;
    private final RecordKey key;
    private final Runnable done;
    private final BooleanSupplier isSucceeded;
    private int tries;
    private boolean isPausing;
    private boolean hasEnded;

    /**
     * @param isSucceeded whether this client has registered the same id again: that registration replaces the rest
     * @param done runs once, unless this is ended first
     */
    Erasure(ClientContext client, TimedCalls calls, RecordKey key, BooleanSupplier isSucceeded, Runnable done) {
        this.client = client;
        this.calls = calls;
        this.key = key;
        this.isSucceeded = isSucceeded;
        this.done = done;
    }

    /** Stops silently: by the time a pending call is answered, the key may belong to somebody else. */
    void end() {
        hasEnded = true;
    }

    /** There is a successor now, which does not wait for a pause. */
    void succeeded() {
        if (isPausing) {
            finish();
        }
    }

    private void finish() {
        if (!hasEnded) {
            hasEnded = true;
            isPausing = false;
            done.run();
        }
    }

    /** Whether it pauses before another try. */
    boolean isPausing() {
        return isPausing;
    }

    void start(Now now) {
        if (hasEnded) {
            return;
        }
        isPausing = false;
        tries++;
        ask(now, Verb.READ, call -> calls.store().read(key, call), this::looked);
    }

    private void looked(Observation seen, Now now) {
        if (hasEnded) {
            return;
        }
        if (seen instanceof Observation.Vacant vacant) {
            ask(now, Verb.ERASE, call -> calls.erase(vacant, call), this::erased);
        } else if (seen instanceof Observation.Held held && isOwn(held)) {
            ask(now, Verb.RELEASE, call -> calls.store().release(key, held, call), this::released);
        } else {
            finish();
        }
    }

    private boolean isOwn(Observation.Held held) {
        return !held.isForeign() && held.record().incarnation().equals(client.incarnation());
    }

    private void released(WriteOutcome outcome, Now now) {
        if (outcome instanceof WriteOutcome.Written written) {
            looked(written.now(), now);
        } else {
            again(now);
        }
    }

    private void erased(WriteOutcome outcome, Now now) {
        if (outcome instanceof WriteOutcome.Written) {
            finish();
        } else {
            again(now);
        }
    }

    private void again(Now now) {
        if (hasEnded) {
            return;
        }
        LeaseTiming timing = client.timing();
        if (tries >= TRIES_MAX || client.lifecycle().isClosing() || isSucceeded.getAsBoolean()) {
            finish();
            return;
        }
        long pauseNanos =
                Math.min(timing.retryIntervalNanos() << Math.min(tries, TRIES_MAX), timing.recordCheckIntervalNanos());
        client.loop().at(now.monotonicNanos() + pauseNanos, this::start);
        isPausing = true;
    }

    private <T> void ask(
            Now now, Verb verb, Function<CallContext, CompletionStage<T>> call, BiConsumer<T, Now> answered) {
        calls.call(now, verb, call, new StoreCalls.Outcome<>() {
            @Override
            public void answered(T answer, Now then) {
                answered.accept(answer, then);
            }

            @Override
            public void failed(Throwable why, Now then) {
                if (why instanceof StoreSetupException) {
                    // No right to read or to erase: somebody else tidies.
                    finish();
                } else {
                    again(then);
                }
            }
        });
    }
}
