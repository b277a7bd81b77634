package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * How soon a leader stops believing after its record was removed from the store by hand. The floor is a read of the
 * store: a leader needs at least one to notice.
 */
final class LossFigure implements Measurement {
    /** Held at the same time, so that one pause serves all of them in a round. */
    private static final int ELECTIONS = 20;

    private static final int TRIES_MAX = 10;
    private static final Duration LOOK = Duration.ofNanos(50_000);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "loss";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        int rounds = target.samples(10, 1);
        progress.accept("loss by hand, " + rounds + " rounds of " + ELECTIONS);
        Samples losses = new Samples(rounds * ELECTIONS);
        Samples reads = new Samples(rounds * ELECTIONS);
        String prefix = target.election("loss-");
        Leadership[] held = new Leadership[ELECTIONS];
        try (Hosted hosted = Hosted.of(target);
                ElectionClient client = target.client("loser")
                        .splay(Duration.ZERO)
                        .coolDown(Duration.ZERO)
                        .connect();
                ElectionStore operator = target.store()) {
            for (int round = 0; round < rounds; round++) {
                Pipeline.run(
                        ELECTIONS,
                        ELECTIONS,
                        "an acquisition",
                        i -> client.election(prefix + i).campaignAsync("bench").thenAccept(won -> held[i] = won));
                for (int i = 0; i < ELECTIONS; i++) {
                    pause(target.explanation().lease(), i == 0);
                    Taking taking = take(operator, RecordKey.election(prefix + i));
                    reads.add(taking.readNanos());
                    losses.add(untilInvalid(held[i]) - taking.sentNanos());
                    // Closed at once: if losses are noticed late, the first drain budget would end before the last
                    // loss.
                    held[i].close();
                }
                Pipeline.close(held);
            }
        }
        return List.of(
                Figure.of("loss by hand p50", losses.millis(0.5), "ms")
                        .beside(reads.millis(0.5))
                        .noting(losses.count() + " records removed by somebody else"),
                Figure.of("loss by hand p99", losses.millis(0.99), "ms").beside(reads.millis(0.99)));
    }

    /** Leaders read at most once in a fifteenth of a lease. Waits longer after wins, so that all may read again. */
    private static void pause(Duration lease, boolean afterWins) throws InterruptedException {
        long millis = afterWins ? lease.toMillis() / 5 : 0;
        Thread.sleep(millis + ThreadLocalRandom.current().nextInt(20));
    }

    /**
     * The removal of a record.
     *
     * @param readNanos how long the read before it took
     * @param sentNanos when the removal was sent
     */
    private record Taking(long readNanos, long sentNanos) {}

    /** Removes the record, whoever holds it. */
    private static Taking take(ElectionStore operator, RecordKey key) throws InterruptedException {
        for (int i = 0; i < TRIES_MAX; i++) {
            long before = System.nanoTime();
            Observation seen = Target.await("reading", operator.read(key, Target.call()));
            long sent = System.nanoTime();
            WriteOutcome outcome = seen instanceof Observation.Held record
                    ? Target.await("removing", operator.release(key, record, Target.call()))
                    : WriteOutcome.refused();
            if (outcome instanceof WriteOutcome.Written) {
                return new Taking(sent - before, sent);
            }
        }
        throw new Failure(ExitCode.UNEXPECTED, key + " could not be removed by hand in " + TRIES_MAX + " tries");
    }

    /** Waits until the term is invalid; returns that instant ({@link System#nanoTime}). */
    private static long untilInvalid(Leadership leadership) {
        long removed = System.nanoTime();
        while (leadership.isValid()) {
            LockSupport.parkNanos(LOOK.toNanos());
            if (System.nanoTime() - removed > PATIENCE.toNanos()) {
                throw new Failure(
                        ExitCode.UNEXPECTED,
                        "a leader whose record was removed did not notice within " + PATIENCE.toSeconds() + " s");
            }
        }
        return System.nanoTime();
    }
}
