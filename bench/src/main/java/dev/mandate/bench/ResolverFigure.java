package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.LeaderResolver;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** How long {@link LeaderResolver#now()} takes while the leader is known. The floor: reading the monotonic clock. */
final class ResolverFigure implements Measurement {
    private static final int BATCH = 50_000;
    private static final int WARM_UP = 20;
    private static final double NANOS_MOST = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "resolver";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        int batches = target.samples(200, 5);
        progress.accept("asking a resolver " + batches + " times " + BATCH + " times");
        String election = target.election("resolver");
        Samples ours = new Samples(batches);
        Samples floor = new Samples(batches);
        long unknown = 0;
        try (RecordsByHand hands = new RecordsByHand(target);
                ElectionClient client = target.client("caller").connect();
                LeaderResolver resolver = client.election(election).resolver()) {
            Target.await("acquiring", hands.take(RecordKey.election(election), FollowedFigure.VALUE));
            if (resolver.await(PATIENCE).isEmpty()) {
                throw new Failure(
                        ExitCode.UNAVAILABLE,
                        "the leader was not seen within " + PATIENCE.toSeconds() + " s of its write");
            }
            // In turns, because the machine's load varies.
            for (int i = 0; i < WARM_UP + batches; i++) {
                long before = System.nanoTime();
                int empty = empty(resolver);
                long took = System.nanoTime() - before;
                long clocks = clocks();
                if (i >= WARM_UP) {
                    unknown += empty;
                    ours.add(took);
                    floor.add(clocks);
                }
            }
        }
        return List.of(Figure.of("resolver now()", nanosEach(ours), "ns")
                .beside(nanosEach(floor))
                .within(NANOS_MOST)
                .noting(String.format(
                        Locale.ROOT,
                        "median of %d times %d calls%s; the floor is the clock",
                        batches,
                        BATCH,
                        unknown > 0 ? ", " + unknown + " of them while it was not known" : "")));
    }

    private static int empty(LeaderResolver resolver) {
        int empty = 0;
        for (int i = 0; i < BATCH; i++) {
            empty += resolver.now().isEmpty() ? 1 : 0;
        }
        return empty;
    }

    /** How long a batch of clock reads takes. */
    private static long clocks() {
        long first = System.nanoTime();
        long last = first;
        for (int i = 0; i < BATCH; i++) {
            last = System.nanoTime();
        }
        return last - first;
    }

    private static double nanosEach(Samples batches) {
        return batches.millis(0.5) * 1e6 / BATCH;
    }
}
