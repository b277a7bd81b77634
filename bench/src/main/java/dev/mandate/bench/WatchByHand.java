package dev.mandate.bench;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A watch of a store without an engine; if the store has no watch, reads without a pause. */
final class WatchByHand implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ElectionStore store;
    private final Subscription watch;
    private final LinkedBlockingQueue<Told> told = new LinkedBlockingQueue<>();

    private record Told(Hint hint, long atNanos) {}

    private record Seen(Observation observation, long atNanos) {}

    /** Closes {@code store} at the end. */
    WatchByHand(ElectionStore store, RecordKey prefix) {
        this.store = store;
        watch = store.watch(prefix, hint -> told.add(new Told(hint, System.nanoTime())));
    }

    /** Forgets all hints so far. */
    void forget() {
        told.clear();
    }

    /** Waits until it sees this record held; returns when ({@link System#nanoTime}). */
    long awaitHeld(RecordKey key) throws InterruptedException {
        return await(key, Observation.Held.class).atNanos();
    }

    /** Waits until it sees this record vacant; the vacancy may be an earlier one. */
    Observation awaitVacant(RecordKey key) throws InterruptedException {
        return await(key, Observation.Vacant.class).observation();
    }

    private Seen await(RecordKey key, Class<? extends Observation> kind) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            Told next = store.traits().watches() ? told.poll(1, TimeUnit.SECONDS) : null;
            if (next != null && next.hint() instanceof Hint.Seen seen) {
                if (kind.isInstance(seen.observation())
                        && seen.observation().key().equals(key)) {
                    return new Seen(seen.observation(), next.atNanos());
                }
                continue;
            }
            // A watch may miss something; a gap says that it did.
            Observation now = Target.await("reading", store.read(key, Target.call()));
            if (kind.isInstance(now)) {
                return new Seen(now, System.nanoTime());
            }
        }
        throw new Failure(ExitCode.UNAVAILABLE, "a write was not seen within " + PATIENCE.toSeconds() + " s");
    }

    @Override
    public void close() {
        watch.close();
        store.close();
    }
}
