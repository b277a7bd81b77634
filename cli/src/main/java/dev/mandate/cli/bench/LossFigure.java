package dev.mandate.cli.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
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
 * How soon a leader ceases to believe after somebody took its record out of the store by hand. The floor is a read of the store: a leader that
 * learns of it has read at least once.
 */
final class LossFigure implements Measurement {
    /** Held at once, so that a round costs one pause for all of them. */
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
                    // Where losses are noticed late, the drain budget of the first is over before the last is lost.
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

    /** Leaders look at most once in a fifteenth of a lease: a pause that long, so that none is still resting from its look at the win. */
    private static void pause(Duration lease, boolean afterWins) throws InterruptedException {
        long millis = afterWins ? lease.toMillis() / 5 : 0;
        Thread.sleep(millis + ThreadLocalRandom.current().nextInt(20));
    }

    /**
     * A record was removed.
     *
     * @param readNanos how long the read before took
     * @param sentNanos when the removal was asked for
     */
    private record Taking(long readNanos, long sentNanos) {}

    /** Removes what stands there, whosoever it is. */
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

    /** When it was. */
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
