package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.http.MandateHttp;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * How long a {@code GET} of one election takes on a persistent connection; the floor is a read of the store. Also what
 * the server asks of its store meanwhile, beside what it asks in the same time without a {@code GET}.
 */
final class GetFigure implements Measurement {
    private static final int OK = 200;
    private static final double MILLIS_MOST = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final int gets;

    GetFigure(int gets) {
        this.gets = gets;
    }

    @Override
    public String name() {
        return "get";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        progress.accept("GET of one election, " + gets + " times, and as many reads of the store");
        String election = target.election("get");
        RecordKey key = RecordKey.election(election);
        Samples ours = new Samples(gets);
        Samples floor = new Samples(gets);
        CountingStore store = CountingStore.of(target.store());
        try (RecordsByHand hands = new RecordsByHand(target);
                ElectionStore alone = target.store();
                ElectionClient client = target.client(store).candidate("server").connect();
                MandateHttp http = Served.of(client);
                KeptAlive connection = new KeptAlive(http.uri(), "/v1/elections/" + election)) {
            Target.await("acquiring", hands.take(key, FollowedFigure.VALUE));
            awaitKnown(connection);
            for (int i = 0; i < target.samples(gets, 5); i++) {
                connection.get();
            }
            Requests before = store.count();
            long began = System.nanoTime();
            int others = 0;
            for (int i = 0; i < gets; i++) {
                long sent = System.nanoTime();
                others += connection.get() == OK ? 0 : 1;
                ours.add(System.nanoTime() - sent);
                sent = System.nanoTime();
                Target.await("reading", alone.read(key, Target.call()));
                floor.add(System.nanoTime() - sent);
            }
            Requests asked = store.count().since(before);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            before = store.count();
            Thread.sleep(took.toMillis());
            Requests idle = store.count().since(before);
            return List.of(
                    Figure.of("GET p50", ours.millis(0.5), "ms")
                            .beside(floor.millis(0.5))
                            .within(MILLIS_MOST)
                            .noting(ours.count() + " over one connection"
                                    + (others > 0 ? ", " + others + " not answered with 200" : "")
                                    + "; the floor is a read of the store"),
                    Figure.of("GET p99", ours.millis(0.99), "ms").beside(floor.millis(0.99)),
                    Figure.of("GET: store asked", (double) asked.all() / gets, "per GET")
                            .beside((double) idle.all() / gets)
                            .noting(asked.all() + " requests while all were answered, " + idle.all()
                                    + " in as long without a GET, which is the floor"));
        }
    }

    private static void awaitKnown(KeptAlive connection) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int status = connection.get(); status != OK; status = connection.get()) {
            if (System.nanoTime() - deadline > 0) {
                throw new Failure(
                        ExitCode.UNAVAILABLE,
                        "the server did not see the leader within " + PATIENCE.toSeconds() + " s; it answers "
                                + status);
            }
            Thread.sleep(10);
        }
    }
}
