package dev.mandate.bench;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;

/**
 * A hand-over between two candidates without an engine: one releases; the other is notified by the store's watch, or
 * reads without a pause if there is none, and acquires.
 */
final class HandOverByHand implements AutoCloseable {
    private static final int TRIES_MAX = 10;

    private final RecordKey key;
    private Hand holder;
    private Hand other;
    private Observation.Held now;

    /** A candidate without an engine. */
    private record Hand(RecordsByHand records, WatchByHand watch) {}

    HandOverByHand(Target target) throws InterruptedException {
        key = RecordKey.election(target.election("by-hand"));
        holder = hand(target, 0);
        other = hand(target, 1);
        now = acquire(holder, holder.records.read(key));
    }

    private static Hand hand(Target target, int number) throws InterruptedException {
        return new Hand(
                new RecordsByHand(target, number), new WatchByHand(target.store(number), RecordKey.elections()));
    }

    long handOver() throws InterruptedException {
        Candidates.pause();
        other.watch.forget();
        long before = System.nanoTime();
        holder.records.release(now);
        now = acquire(other, other.watch.awaitVacant(key));
        long took = System.nanoTime() - before;
        Hand former = holder;
        holder = other;
        other = former;
        return took;
    }

    /** A hint may show an earlier vacancy: a refusal shows what is there now. */
    private Observation.Held acquire(Hand hand, Observation first) throws InterruptedException {
        Observation basis = first;
        for (int i = 0; i < TRIES_MAX; i++) {
            WriteOutcome outcome = Target.await("acquiring", hand.records.take(basis, "bench"));
            if (outcome instanceof WriteOutcome.Written written) {
                return (Observation.Held) written.now();
            }
            basis = hand.records.read(key);
        }
        throw new Failure(
                ExitCode.UNEXPECTED, key + " could not be acquired by hand in " + TRIES_MAX + " tries: " + basis);
    }

    @Override
    public void close() throws InterruptedException {
        holder.records.release(now);
        for (Hand hand : new Hand[] {holder, other}) {
            hand.watch.close();
            hand.records.close();
        }
    }
}
