package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.http.MandateHttp;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.List;
import java.util.function.Consumer;

/**
 * Time from the store's answer to a write until event streams report it, over real sockets. The floor is when a watch
 * of the store by hand reports the same write.
 */
final class StreamsFigure implements Measurement {
    private static final int WARM_UP = 20;
    private static final double MILLIS_MOST = 100;

    private final int streams;
    private final int rounds;

    StreamsFigure(int streams, int rounds) {
        this.streams = streams;
        this.rounds = rounds;
    }

    @Override
    public String name() {
        return "streams";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        progress.accept("sending " + streams + " event streams " + rounds + " changes");
        Samples each = new Samples(rounds * streams);
        Samples all = new Samples(rounds);
        Samples floor = new Samples(rounds);
        try (RecordsByHand hands = new RecordsByHand(target);
                WatchByHand watch = new WatchByHand(target.store(), RecordKey.elections());
                ElectionClient client = target.client("server").connect();
                MandateHttp http = Served.of(client);
                EventStreams readers = EventStreams.open(http.uri(), streams)) {
            for (int i = 0; i < WARM_UP + rounds; i++) {
                String election = target.election("change-" + i);
                RecordKey key = RecordKey.election(election);
                Observation vacant = hands.read(key);
                Candidates.pause();
                watch.forget();
                EventStreams.Awaited told = readers.expect('"' + election + '"');
                long answered = Target.await(
                        "acquiring",
                        hands.take(vacant, FollowedFigure.VALUE)
                                .thenApply(RecordsByHand::written)
                                .thenApply(written -> System.nanoTime()));
                long[] at = told.await();
                long byHand = watch.awaitHeld(key);
                if (i >= WARM_UP) {
                    for (long one : at) {
                        each.add(since(answered, one));
                    }
                    all.add(since(answered, at[at.length - 1]));
                    floor.add(since(answered, byHand));
                }
            }
        }
        return List.of(
                Figure.of("change told p50", each.millis(0.5), "ms")
                        .beside(floor.millis(0.5))
                        .noting(all.count() + " changes, each of " + streams + " streams"),
                Figure.of("change told p99", each.millis(0.99), "ms")
                        .beside(floor.millis(0.99))
                        .within(MILLIS_MOST),
                Figure.of("change told to all p50", all.millis(0.5), "ms")
                        .beside(floor.millis(0.5))
                        .noting("the last of " + streams + " streams"),
                Figure.of("change told to all p99", all.millis(0.99), "ms")
                        .beside(floor.millis(0.99))
                        .within(MILLIS_MOST));
    }

    /** Zero if the report came before the writer had its answer. */
    private static long since(long answered, long told) {
        return Math.max(0, told - answered);
    }
}
