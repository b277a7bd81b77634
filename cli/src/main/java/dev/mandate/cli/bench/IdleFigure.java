package dev.mandate.cli.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.cli.Durations;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** What holding elections costs while nothing happens, with 1, 1,000 and 10,000 of them: requests, processor time, heap, threads. */
final class IdleFigure implements Measurement {
    private static final int AT_A_TIME = 32;
    private static final int SETTLING_MILLIS = 500;
    private static final int COLLECTIONS = 4;

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        List<Figure> figures = new ArrayList<>();
        List<Integer> sizes = target.isQuick() ? List.of(1, 1_000) : List.of(1, 1_000, 10_000);
        // What is loaded and made once is not the price of an election.
        progress.accept("warming up");
        holding(target, 200, Duration.ofMillis(1), said -> {});
        for (int held : sizes) {
            Duration lease = target.explanation().lease();
            figures.addAll(holding(target, held, target.isQuick() ? lease : lease.multipliedBy(6), progress));
        }
        return figures;
    }

    private static List<Figure> holding(Target target, int held, Duration during, Consumer<String> progress)
            throws InterruptedException {
        progress.accept("acquiring " + held + " elections to hold");
        CountingStore store = new CountingStore(target.store());
        Duration lease = target.explanation().lease();
        try (ElectionClient client = target.client(store).splay(Duration.ZERO).connect()) {
            Leadership[] leaderships = new Leadership[held];
            String what = "idle-" + held + "-" + during.toMillis() + "-";
            long heapBefore = heap();
            int threadsBefore = threads();
            Pipeline.run(
                    held,
                    AT_A_TIME,
                    "an acquisition",
                    i -> client.election(target.election(what + i))
                            .campaignAsync("bench")
                            .thenAccept(won -> leaderships[i] = won));
            // Two rounds of renewals: the first ones are slow, because the JVM has not compiled them yet.
            Thread.sleep(SETTLING_MILLIS + (target.isQuick() ? 0 : lease.toMillis() * 2 / 3));
            int threads = threads() - threadsBefore;
            double heap = heap() - heapBefore;
            progress.accept("holding " + held + " for " + Durations.words(during));
            store.ages().begin();
            double processor = processorSeconds();
            long requests = store.requests();
            long renewals = store.renewals();
            long before = System.nanoTime();
            Thread.sleep(during.toMillis());
            double seconds = (System.nanoTime() - before) / 1e9;
            requests = store.requests() - requests;
            renewals = store.renewals() - renewals;
            processor = processorSeconds() - processor;
            double oldest = store.ages().oldestNanos() / 1e6;
            long lost = Arrays.stream(leaderships).filter(l -> !l.isValid()).count();
            double thirds = seconds / (lease.toNanos() / 1e9 / 3);
            progress.accept("releasing them");
            Pipeline.close(leaderships);
            String prefix = held + " held: ";
            String note = lost == 0 ? "for " + Durations.words(during) : lost + " of them were lost meanwhile";
            return List.of(
                    Figure.of(prefix + "requests", requests / seconds, "per s").noting(note),
                    Figure.of(prefix + "renewals", renewals / thirds, "per L/3")
                            .noting("L is " + Durations.words(lease)),
                    Figure.of(prefix + "oldest renewal", oldest, "ms").within(lease.toMillis() / 2.0),
                    Figure.of(prefix + "processor", 100 * processor / seconds, "% of one"),
                    Figure.of(prefix + "heap", heap / held, "bytes each")
                            .noting(target.isMemory() ? "with the store itself, which is in memory" : ""),
                    Figure.of(prefix + "threads", threads, "more"));
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

    private static long heap() throws InterruptedException {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            Thread.sleep(50);
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
