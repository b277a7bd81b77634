package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How many vacant elections one client wins per second, many at a time. The floor is the store's own read and acquire
 * for each, as many at a time. Measured without the splay, which keeps candidates that start together apart.
 */
final class AcquisitionFigure implements Measurement {
    private static final int AT_A_TIME = 64;
    /** The first block warms up. */
    private static final int BLOCKS = 5;

    @Override
    public String name() {
        return "acquisitions";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        int block = target.samples(1_000, 50);
        int count = BLOCKS * block;
        int counted = count - block;
        progress.accept("acquiring " + count + " elections, and as many by hand");
        List<String> names = names(target, "acquire", count);
        List<RecordKey> keys =
                names(target, "raw", count).stream().map(RecordKey::election).toList();
        Leadership[] won = new Leadership[count];
        double ours = 0;
        double floor = 0;
        try (Hosted hosted = Hosted.of(target);
                ElectionClient client =
                        target.client("acquirer").splay(Duration.ZERO).connect();
                ElectionStore store = target.store()) {
            StoreSession session = Target.session(store, Duration.ofMinutes(10));
            // In turns, because the machine's load varies.
            for (int from = 0; from < count; from += block) {
                int first = from;
                double took = seconds(
                        block,
                        i -> client.election(names.get(first + i))
                                .campaignAsync("bench")
                                .thenAccept(leadership -> won[first + i] = leadership));
                double byHand = seconds(
                        block,
                        i -> store.read(keys.get(first + i), Target.call())
                                .thenCompose(seen -> acquire(target, store, session, seen)));
                ours += from == 0 ? 0 : took;
                floor += from == 0 ? 0 : byHand;
            }
            progress.accept("releasing them");
            Pipeline.close(won);
            if (session != null) {
                Target.await("ending a session", session.end(Target.call()));
            }
        }
        return List.of(Figure.of("acquisitions", counted / ours, "per s")
                .beside(counted / floor)
                .noting("1 client, " + counted + " elections, " + AT_A_TIME + " at a time, no splay"));
    }

    private static CompletionStage<WriteOutcome> acquire(
            Target target, ElectionStore store, @Nullable StoreSession session, Observation seen) {
        return store.acquire(seen.key(), seen, target.proposal("raw"), session, Target.call());
    }

    private static List<String> names(Target target, String what, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> target.election(what + "-" + i))
                .toList();
    }

    private static double seconds(int count, IntFunction<CompletionStage<?>> one) throws InterruptedException {
        long before = System.nanoTime();
        Pipeline.run(count, AT_A_TIME, "an acquisition", one);
        return (System.nanoTime() - before) / 1e9;
    }
}
