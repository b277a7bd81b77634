package dev.mandate.bench;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Writes records without an engine. Nobody renews them: they live for ten minutes if the store grants that. */
final class RecordsByHand implements AutoCloseable {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final Target target;
    private final ElectionStore store;
    private final @Nullable StoreSession session;
    private final Duration lease;

    RecordsByHand(Target target) throws InterruptedException {
        this(target, 0);
    }

    /** The same for one of several candidates. */
    RecordsByHand(Target target, int number) throws InterruptedException {
        this.target = target;
        this.store = target.store(number);
        Duration most = store.traits().leaseMax();
        this.lease = LONG.compareTo(most) < 0 ? LONG : most;
        this.session = Target.session(store, lease);
    }

    /** Reads the record and acquires it. Fails unless it was vacant. */
    CompletionStage<WriteOutcome> take(RecordKey key, String value) {
        return store.read(key, Target.call())
                .thenCompose(seen -> take(seen, value))
                .thenApply(RecordsByHand::written);
    }

    /** Acquires the record on that basis. */
    CompletionStage<WriteOutcome> take(Observation vacant, String value) {
        return store.acquire(vacant.key(), vacant, target.proposal("by-hand", value, lease), session, Target.call());
    }

    Observation read(RecordKey key) throws InterruptedException {
        return Target.await("reading", store.read(key, Target.call()));
    }

    /** Releases the record. */
    WriteOutcome release(Observation.Held held) throws InterruptedException {
        return written(Target.await("releasing", store.release(held.key(), held, Target.call())));
    }

    /** Releases the record and erases what is left. */
    void remove(Observation.Held held) throws InterruptedException {
        WriteOutcome released = release(held);
        if (released instanceof WriteOutcome.Written done && done.now() instanceof Observation.Vacant vacant) {
            Target.await("erasing", store.erase(vacant, Target.call()));
        }
    }

    static WriteOutcome written(WriteOutcome outcome) {
        if (outcome instanceof WriteOutcome.Written) {
            return outcome;
        }
        throw new Failure(ExitCode.UNEXPECTED, "a write made by hand was refused: " + outcome);
    }

    @Override
    public void close() throws InterruptedException {
        if (session != null) {
            Target.await("ending a session", session.end(Target.call()));
        }
        store.close();
    }
}
