package dev.mandate.bench;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A hand-over between two candidates without an engine: one releases; the other is notified by the store's watch, or
 * reads without a pause if there is none, and acquires.
 */
final class HandOverByHand implements AutoCloseable {
    private static final int TRIES_MAX = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Hand holder;
    private Hand other;
    private Observation now;

    HandOverByHand(Target target) throws InterruptedException {
        RecordKey key = RecordKey.election(target.election("by-hand"));
        holder = new Hand(target, key, "one", 0);
        other = new Hand(target, key, "two", 1);
        now = holder.acquire(holder.read());
    }

    long handOver() throws InterruptedException {
        Candidates.pause();
        other.forgetHints();
        long before = System.nanoTime();
        holder.release((Observation.Held) now);
        now = other.acquire(other.awaitVacant());
        long took = System.nanoTime() - before;
        Hand former = holder;
        holder = other;
        other = former;
        return took;
    }

    @Override
    public void close() throws InterruptedException {
        holder.release((Observation.Held) now);
        holder.close();
        other.close();
    }

    /** A candidate without an engine. */
    private static final class Hand implements AutoCloseable {
        private final Target target;
        private final RecordKey key;
        private final String name;
        private final ElectionStore store;
        private final @Nullable StoreSession session;
        private final Subscription watch;
        private final LinkedBlockingQueue<Observation> vacancies = new LinkedBlockingQueue<>();

        Hand(Target target, RecordKey key, String name, int number) throws InterruptedException {
            this.target = target;
            this.key = key;
            this.name = name;
            this.store = target.store(number);
            // Long enough to need no renewal.
            this.session = Target.session(store, Duration.ofMinutes(10));
            this.watch = store.watch(RecordKey.elections(), hint -> {
                if (hint instanceof Hint.Seen seen
                        && seen.observation() instanceof Observation.Vacant vacant
                        && vacant.key().equals(key)) {
                    vacancies.add(vacant);
                }
            });
        }

        Observation read() throws InterruptedException {
            return Target.await("reading", store.read(key, Target.call()));
        }

        void forgetHints() {
            vacancies.clear();
        }

        Observation awaitVacant() throws InterruptedException {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() - deadline < 0) {
                // A watch may miss something; a candidate would read then, too.
                Observation seen = store.traits().watches() ? vacancies.poll(1, TimeUnit.SECONDS) : null;
                Observation now = seen == null ? read() : seen;
                if (now instanceof Observation.Vacant) {
                    return now;
                }
            }
            throw new Failure(ExitCode.UNAVAILABLE, "a release was not seen within " + PATIENCE.toSeconds() + " s");
        }

        /** A hint may show an earlier vacancy: a refusal shows what is there now. */
        Observation acquire(Observation first) throws InterruptedException {
            Observation basis = first;
            for (int i = 0; i < TRIES_MAX; i++) {
                WriteOutcome outcome = Target.await(
                        "acquiring", store.acquire(key, basis, target.proposal(name), session, Target.call()));
                if (outcome instanceof WriteOutcome.Written written) {
                    return written.now();
                }
                basis = read();
            }
            throw new Failure(
                    ExitCode.UNEXPECTED, key + " could not be acquired by hand in " + TRIES_MAX + " tries: " + basis);
        }

        void release(Observation.Held held) throws InterruptedException {
            written(Target.await("releasing", store.release(key, held, Target.call())));
        }

        private static Observation written(WriteOutcome outcome) {
            if (outcome instanceof WriteOutcome.Written written) {
                return written.now();
            }
            throw new Failure(ExitCode.UNEXPECTED, "a write made by hand was refused: " + outcome);
        }

        @Override
        public void close() {
            watch.close();
            store.close();
        }
    }
}
