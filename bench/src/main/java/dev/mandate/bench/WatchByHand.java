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

    WatchByHand(Target target, RecordKey prefix) {
        store = target.store();
        watch = store.watch(prefix, hint -> told.add(new Told(hint, System.nanoTime())));
    }

    /** Forgets all hints so far. */
    void forget() {
        told.clear();
    }

    /** Waits until it sees this record held; returns when ({@link System#nanoTime}). */
    long awaitHeld(RecordKey key) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            Told next = store.traits().watches() ? told.poll(1, TimeUnit.SECONDS) : null;
            if (next != null && shows(next.hint(), key)) {
                return next.atNanos();
            }
            boolean isOther = next != null && next.hint() instanceof Hint.Seen;
            // A watch may miss something; a gap says that it did.
            if (!isOther && Target.await("reading", store.read(key, Target.call())) instanceof Observation.Held) {
                return System.nanoTime();
            }
        }
        throw new Failure(
                ExitCode.UNAVAILABLE, "a record was not seen within " + PATIENCE.toSeconds() + " s of its write");
    }

    private static boolean shows(Hint hint, RecordKey key) {
        return hint instanceof Hint.Seen seen
                && seen.observation() instanceof Observation.Held held
                && held.key().equals(key);
    }

    @Override
    public void close() {
        watch.close();
        store.close();
    }
}
