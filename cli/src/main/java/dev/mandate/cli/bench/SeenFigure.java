package dev.mandate.cli.bench;

import dev.mandate.ElectionClient;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * From {@code register()} in one client until the listener of another one is told. The floor is one write by hand until
 * the store's watch tells of it, or where it has none until a read shows it.
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
            // One stays: neither opening a session nor a list that turns empty is what a registration costs.
            String first = registrant
                    .registry()
                    .register(service, RegistrationsByHand.instance(0))
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
        ServiceInstance instance = RegistrationsByHand.instance(number);
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
        private final RegistrationsByHand writer;
        private final ElectionStore reader;
        private final String service;
        private final Subscription watch;
        private final LinkedBlockingQueue<Told> told = new LinkedBlockingQueue<>();

        private record Told(Hint hint, long atNanos) {}

        Hands(Target target) throws InterruptedException {
            service = target.election("seen-by-hand");
            writer = new RegistrationsByHand(target);
            reader = target.store();
            watch = reader.watch(RecordKey.registrations(service), hint -> told.add(new Told(hint, System.nanoTime())));
        }

        long seen(int number) throws InterruptedException {
            ServiceInstance instance = RegistrationsByHand.instance(number);
            RecordKey key = RecordKey.registration(service, instance.id());
            Observation vacant = writer.read(key);
            Candidates.pause();
            told.clear();
            long before = System.nanoTime();
            CompletionStage<WriteOutcome> write = writer.register(vacant, instance);
            long at = awaitHeld(key);
            WriteOutcome outcome = RegistrationsByHand.written(Target.await("registering", write));
            writer.remove((Observation.Held) ((WriteOutcome.Written) outcome).now());
            return at - before;
        }

        private long awaitHeld(RecordKey key) throws InterruptedException {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() - deadline < 0) {
                Told next = reader.traits().watches() ? told.poll(1, TimeUnit.SECONDS) : null;
                if (next != null && RegistrationsByHand.shows(next.hint(), key)) {
                    return next.atNanos();
                }
                boolean isOther = next != null && next.hint() instanceof Hint.Seen;
                // A watch may miss something, and a gap says that it did.
                if (!isOther && Target.await("reading", reader.read(key, Target.call())) instanceof Observation.Held) {
                    return System.nanoTime();
                }
            }
            throw new Failure(
                    ExitCode.UNAVAILABLE, "a record was not seen within " + PATIENCE.toSeconds() + " s of its write");
        }

        @Override
        public void close() throws InterruptedException {
            watch.close();
            reader.close();
            writer.close();
        }
    }
}
