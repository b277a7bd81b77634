package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Durations;
import dev.mandate.demo.ScratchGroup;
import dev.mandate.spi.LeaseScope;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cost of holding elections while idle, with 1, 1,000 and 10,000 of them: requests, processor time, heap, threads.
 * With 1 and 100 if each has its own lease and the store is too slow to renew 1,000. The user may choose another number
 * and time.
 */
final class IdleFigure implements Measurement {
    /** Keeps a typo from filling a store. */
    static final int HELD_MAX = 100_000;

    static final Duration DURING_MIN = Duration.ofSeconds(1);
    static final Duration DURING_MAX = Duration.ofHours(24);

    private static final int LEASES = 6;
    private static final int AT_A_TIME = 32;
    private static final int SETTLING_MILLIS = 500;
    private static final int COLLECTIONS = 4;
    private static final int WARM = 200;
    private static final int MANY = 1_000;
    private static final int FEW = 100;

    private final @Nullable Integer held;
    private final @Nullable Duration during;

    /**
     * @param held how many elections; null to let the store's speed decide
     * @param during for how long; null for a few leases
     */
    IdleFigure(@Nullable Integer held, @Nullable Duration during) {
        this.held = held;
        this.during = during;
    }

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        ScratchGroup group = target.group();
        if (group != null) {
            return new GroupIdleFigure(target, group, during, progress).measure(held);
        }
        List<Figure> figures = new ArrayList<>();
        // An election does not cost what is loaded and made once.
        progress.accept("warming up");
        Held warm = holding(target, held == null ? WARM : Math.min(held, WARM), Duration.ofMillis(1), said -> {});
        Duration lease = target.explanation().lease();
        boolean isSlow = held == null && isSlow(warm.scope(), warm.perSecond(), lease);
        Duration time = during != null ? during : lease.multipliedBy(target.isQuick() ? 1 : LEASES);
        for (int size : sizes(isSlow, target.isQuick())) {
            figures.addAll(holding(target, size, time, progress).figures());
        }
        if (isSlow) {
            String why = String.format(
                    Locale.ROOT,
                    "no more are held: at %.0f acquisitions per s, %d could not be renewed every L/3",
                    warm.perSecond(),
                    MANY);
            int last = figures.size() - 1;
            figures.set(last, figures.get(last).noting(why));
        }
        return figures;
    }

    private List<Integer> sizes(boolean isSlow, boolean isQuick) {
        if (held != null) {
            return List.of(held);
        }
        return isSlow ? List.of(1, FEW) : isQuick ? List.of(1, MANY) : List.of(1, MANY, 10 * MANY);
    }

    /** A session is renewed once for all its elections; each record by itself, which takes as long as acquiring it. */
    static boolean isSlow(LeaseScope scope, double perSecond, Duration lease) {
        return scope == LeaseScope.RECORD && perSecond * lease.toNanos() / 1e9 / 3 < MANY;
    }

    /**
     * What was measured with some elections held.
     *
     * @param perSecond elections acquired per second
     */
    record Held(List<Figure> figures, LeaseScope scope, double perSecond) {}

    private static Held holding(Target target, int held, Duration during, Consumer<String> progress)
            throws InterruptedException {
        progress.accept("acquiring " + held + " elections to hold");
        CountingStore store = CountingStore.of(target.store());
        Duration lease = target.explanation().lease();
        try (ElectionClient client = target.client(store).splay(Duration.ZERO).connect()) {
            Leadership[] leaderships = new Leadership[held];
            String what = "idle-" + held + "-" + during.toMillis() + "-";
            long heapBefore = heap();
            int threadsBefore = threads();
            long begunNanos = System.nanoTime();
            Pipeline.run(
                    held,
                    AT_A_TIME,
                    "an acquisition",
                    i -> client.election(target.election(what + i))
                            .campaignAsync("bench")
                            .thenAccept(won -> leaderships[i] = won));
            double perSecond = held / ((System.nanoTime() - begunNanos) / 1e9);
            // Some rounds of renewals: the first ones are slow until the JVM has compiled them.
            Thread.sleep(SETTLING_MILLIS + (target.isQuick() ? 0 : lease.toMillis() * 2));
            int threads = threads() - threadsBefore;
            double heap = heap() - heapBefore;
            progress.accept("holding " + held + " for " + Durations.words(during));
            store.ages().begin();
            double processor = processorSeconds();
            Requests counted = store.count();
            long before = System.nanoTime();
            Thread.sleep(during.toMillis());
            double seconds = (System.nanoTime() - before) / 1e9;
            Requests asked = store.count().since(counted);
            processor = processorSeconds() - processor;
            double oldest = store.ages().oldestNanos() / 1e6;
            long lost = Arrays.stream(leaderships).filter(l -> !l.isValid()).count();
            double thirds = seconds / (lease.toNanos() / 1e9 / 3);
            progress.accept("releasing them");
            Pipeline.close(leaderships);
            String prefix = held + " held: ";
            String note = lost == 0 ? "for " + Durations.words(during) : lost + " of them were lost meanwhile";
            List<Figure> figures = new ArrayList<>(List.of(
                    Figure.of(prefix + "requests", asked.all() / seconds, "per s")
                            .noting(note),
                    Figure.of(prefix + "renewals", asked.renewals() / thirds, "per L/3")
                            .noting("L is " + Durations.words(lease)),
                    Figure.of(prefix + "oldest renewal", oldest, "ms").within(lease.toMillis() / 2.0),
                    Figure.of(prefix + "processor", 100 * processor / seconds, "% of one")));
            if (held > 1) {
                // The heap of a single election is lost in the noise.
                figures.add(Figure.of(prefix + "heap", heap / held, "bytes each")
                        .noting(target.isMemory() ? "with the store itself, which is in memory" : ""));
            }
            figures.add(Figure.of(prefix + "threads", threads, "more"));
            return new Held(figures, store.traits().leaseScope(), perSecond);
        }
    }

    /** The processor time of this process so far. */
    private static double processorSeconds() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    /** The bytes of heap in use right after full collections. Nothing that is garbage by then counts. */
    static long heap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(least, collected());
            Thread.sleep(50);
        }
        return least;
    }

    private static long collected() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(pool -> pool.getCollectionUsage() == null ? pool.getUsage() : pool.getCollectionUsage())
                .mapToLong(MemoryUsage::getUsed)
                .sum();
    }
}
