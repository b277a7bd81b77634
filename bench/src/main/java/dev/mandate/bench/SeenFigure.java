package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Time from {@code register()} in one client until another client's listener is notified. The floor is one write by
 * hand until the store's watch reports it, or until a read shows it if there is no watch.
 */
final class SeenFigure implements Measurement {
    private static final int WARM_UP = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final int rounds;

    SeenFigure(int rounds) {
        this.rounds = rounds;
    }

    @Override
    public String name() {
        return "seen";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        progress.accept("registered to seen, " + rounds + " rounds, and as many by hand");
        String service = target.election("seen");
        Samples ours = new Samples(rounds);
        Samples floor = new Samples(rounds);
        try (ElectionClient registrant =
                        target.client("registrant").splay(Duration.ZERO).connect();
                ElectionClient caller = target.client("caller").connect();
                Follower follower = new Follower(caller, service);
                Hands hands = new Hands(target)) {
            // One instance stays: a registration does not cost a new session or a change to an empty list.
            String first = registrant
                    .registry()
                    .register(service, SampleInstances.instance(0))
                    .id();
            follower.awaitAdded(first, PATIENCE);
            for (int i = 1; i <= WARM_UP + rounds; i++) {
                long took = seen(registrant, service, i, follower);
                long byHand = hands.seen(i);
                if (i > WARM_UP) {
                    ours.add(took);
                    floor.add(byHand);
                }
            }
        }
        return List.of(
                Figure.of("seen p50", ours.millis(0.5), "ms")
                        .beside(floor.millis(0.5))
                        .noting("from register() to the listener of another client, " + ours.count() + " times"),
                Figure.of("seen p99", ours.millis(0.99), "ms").beside(floor.millis(0.99)));
    }

    private static long seen(ElectionClient registrant, String service, int number, Follower follower)
            throws InterruptedException {
        ServiceInstance instance = SampleInstances.instance(number);
        Candidates.pause();
        long before = System.nanoTime();
        Registration registration = registrant.registry().register(service, instance);
        long at = follower.awaitAdded(instance.id(), PATIENCE);
        registration.close();
        follower.awaitRemoved(instance.id(), PATIENCE);
        return at - before;
    }

    /** One store that writes, and one that watches. */
    private static final class Hands implements AutoCloseable {
        private final RecordsByHand writer;
        private final WatchByHand watch;
        private final String service;

        Hands(Target target) throws InterruptedException {
            service = target.election("seen-by-hand");
            writer = new RecordsByHand(target);
            watch = new WatchByHand(target.store(), RecordKey.registrations(service));
        }

        long seen(int number) throws InterruptedException {
            ServiceInstance instance = SampleInstances.instance(number);
            RecordKey key = RecordKey.registration(service, instance.id());
            Observation vacant = writer.read(key);
            Candidates.pause();
            watch.forget();
            long before = System.nanoTime();
            CompletionStage<WriteOutcome> write = writer.take(vacant, SampleInstances.value(instance));
            long at = watch.awaitHeld(key);
            WriteOutcome outcome = RecordsByHand.written(Target.await("registering", write));
            writer.remove((Observation.Held) ((WriteOutcome.Written) outcome).now());
            return at - before;
        }

        @Override
        public void close() throws InterruptedException {
            watch.close();
            writer.close();
        }
    }
}
