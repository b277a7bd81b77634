package dev.mandate.azureblob;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Figures, no test: what it takes to hold many elections for long, and how soon a leader stops to believe after an operator broke its lease.
 * Arguments: the emulator's port, and {@code hold ELECTIONS MINUTES} or {@code loss ROUNDS}.
 */
final class AzuriteFigures {
    private AzuriteFigures() {}

    public static void main(String[] arguments) throws Exception {
        String url = Azurite.url(Integer.parseInt(arguments[0])) + "?lease=15s&coolDown=0s";
        if (arguments[1].equals("hold")) {
            hold(url, Integer.parseInt(arguments[2]), Duration.ofMinutes(Long.parseLong(arguments[3])));
        } else {
            loss(url, Integer.parseInt(arguments[0]), Integer.parseInt(arguments[2]));
        }
    }

    private static void hold(String url, int elections, Duration time) throws Exception {
        AtomicInteger losses = new AtomicInteger();
        try (ElectionClient client = ElectionClient.connect(url)) {
            List<CompletableFuture<Leadership>> campaigns = new ArrayList<>();
            String run = Client.key("held").name();
            for (int i = 0; i < elections; i++) {
                campaigns.add(client.election(run + "-" + i).campaignAsync("x").toCompletableFuture());
            }
            List<Leadership> terms =
                    campaigns.stream().map(CompletableFuture::join).toList();
            terms.forEach(term -> term.lost().thenAccept(why -> {
                if (losses.incrementAndGet() == 1) {
                    System.out.println("the first loss, at " + LocalTime.now() + ": " + why);
                }
            }));
            long began = System.nanoTime();
            long used = processorNanos();
            Duration least = Duration.ofDays(1);
            while (System.nanoTime() - began < time.toNanos()) {
                Await.passing(Duration.ofMillis(100));
                for (Leadership term : terms) {
                    Duration left = term.remaining();
                    least = left.compareTo(least) < 0 ? left : least;
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "%d elections held for %d min: %d lost, least time left %d ms, %.1f %% of a core%n",
                    elections,
                    time.toMinutes(),
                    losses.get(),
                    least.toMillis(),
                    100.0 * (processorNanos() - used) / (System.nanoTime() - began));
        }
    }

    private static long processorNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
    }

    private static void loss(String url, int port, int rounds) throws Exception {
        long[] nanos = new long[rounds];
        String name = Client.key("by-hand").name();
        try (ElectionClient client = ElectionClient.connect(url);
                Operator operator = new Operator(port)) {
            for (int i = 0; i < rounds; i++) {
                try (Leadership term = client.election(name).campaign("x")) {
                    TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(5_000));
                    long before = System.nanoTime();
                    operator.breakLease(name);
                    while (term.isValid()) {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                    nanos[i] = System.nanoTime() - before;
                }
            }
        }
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "lease broken by hand, %d times: median %.0f ms, slowest %.0f ms%n",
                rounds,
                nanos[rounds / 2] / 1e6,
                nanos[rounds - 1] / 1e6);
    }
}
