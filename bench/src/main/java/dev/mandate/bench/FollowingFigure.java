package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The cost of following services: the records read to list one among many, how long that takes beside the same listing
 * before the others existed, and the heap for each instance when all are followed. The instances are written by hand,
 * and nobody renews them.
 */
final class FollowingFigure implements Measurement {
    /** Instances in each service. */
    static final int INSTANCES = 100;

    private static final int AT_A_TIME = 64;
    private static final int HEAPS = 10;
    private static final int HEAP_MOST = 1_024;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final int services;

    FollowingFigure(int services) {
        this.services = services;
    }

    @Override
    public String name() {
        return "following";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        List<Figure> figures = new ArrayList<>();
        CountingStore store = CountingStore.of(target.store());
        try (RecordsByHand hands = new RecordsByHand(target);
                ElectionClient caller = target.client(store).candidate("caller").connect()) {
            register(hands, target, 0, 1);
            Samples alone = listings(caller, service(target, 0), target);
            progress.accept("registering " + services * INSTANCES + " instances of " + services + " services by hand");
            register(hands, target, 1, services);
            Samples among = listings(caller, service(target, 0), target);

            Requests before = store.count();
            int found =
                    caller.registry().instances(service(target, 0)).instances().size();
            Requests asked = store.count().since(before);
            figures.add(Figure.of("listing one service", asked.listed(), "records")
                    .within(found)
                    .noting("of " + found + " instances, among " + services * INSTANCES + " of " + services
                            + " services"));
            figures.add(Figure.of("listing p50", among.millis(0.5), "ms")
                    .beside(alone.millis(0.5))
                    .noting("the floor is the same before the other services were there"));
            figures.addAll(followed(target, caller, store, progress));
        }
        return figures;
    }

    private List<Figure> followed(Target target, ElectionClient caller, CountingStore store, Consumer<String> progress)
            throws InterruptedException {
        List<ServiceWatch> watches = new ArrayList<>();
        try {
            watches.add(caller.registry().watch(service(target, 0)));
            awaitWhole(watches);
            Duration time = target.explanation().lease();
            progress.accept("following one of them for " + Durations.words(time));
            Requests before = store.count();
            Thread.sleep(time.toMillis());
            Requests asked = store.count().since(before);
            watches.remove(0).close();

            progress.accept("following all of them");
            long heap = heap();
            for (int i = 0; i < services; i++) {
                watches.add(caller.registry().watch(service(target, i)));
            }
            awaitWhole(watches);
            // Lets the listings under way end: an instance does not cost them.
            Thread.sleep(time.toMillis());
            double bytes = heap() - heap;
            return List.of(
                    Figure.of("following one", asked.all() / (time.toNanos() / 1e9), "per s")
                            .noting("requests while nothing happens, " + asked.listed() + " records in "
                                    + Durations.words(time)),
                    Figure.of("heap of a followed one", bytes / (services * INSTANCES), "bytes each")
                            .within(HEAP_MOST)
                            .noting("an instance says " + SampleInstances.BYTES + " bytes of itself"));
        } finally {
            watches.forEach(ServiceWatch::close);
        }
    }

    /** The least of several measurements: during a listing, instances exist twice. */
    static long heap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < HEAPS; i++) {
            least = Math.min(least, IdleFigure.heap());
        }
        return least;
    }

    private static void awaitWhole(List<ServiceWatch> watches) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (ServiceWatch watch : watches) {
            while (watch.view().instances().size() < INSTANCES) {
                if (System.nanoTime() - deadline > 0) {
                    throw new Failure(
                            ExitCode.UNAVAILABLE,
                            "a service of " + INSTANCES + " instances was seen with "
                                    + watch.view().instances().size() + " within " + PATIENCE.toSeconds() + " s");
                }
                Thread.sleep(10);
            }
        }
    }

    private static String service(Target target, int number) {
        return target.election("service-" + number);
    }

    private static void register(RecordsByHand hands, Target target, int from, int to) throws InterruptedException {
        Pipeline.run((to - from) * INSTANCES, AT_A_TIME, "a registration", i -> {
            ServiceInstance instance = SampleInstances.instance(i % INSTANCES);
            RecordKey key = RecordKey.registration(service(target, from + i / INSTANCES), instance.id());
            return hands.take(key, SampleInstances.value(instance));
        });
    }

    private static Samples listings(ElectionClient caller, String service, Target target) {
        int warmUp = target.samples(100, 5);
        Samples samples = new Samples(target.samples(100, 10));
        for (int i = 0; i < warmUp; i++) {
            caller.registry().instances(service);
        }
        for (int i = 0; i < target.samples(100, 10); i++) {
            long before = System.nanoTime();
            caller.registry().instances(service);
            samples.add(System.nanoTime() - before);
        }
        return samples;
    }
}
