package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionsWatch;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** The cost of following all elections of a store: heap for each, watches, and requests while idle. */
final class FollowedFigure implements Measurement {
    private static final int AT_A_TIME = 64;
    private static final int HEAP_MOST = 1_024;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** The value that a leader publishes. */
    static final String VALUE = "http://10.0.0.1:8080/invoices";

    private final int elections;

    FollowedFigure(int elections) {
        this.elections = elections;
    }

    @Override
    public String name() {
        return "followed";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        CountingStore store = CountingStore.of(target.store());
        try (RecordsByHand hands = new RecordsByHand(target);
                ElectionClient caller = target.client(store).candidate("caller").connect()) {
            progress.accept("acquiring " + elections + " elections by hand");
            Pipeline.run(
                    elections,
                    AT_A_TIME,
                    "an acquisition",
                    i -> hands.take(RecordKey.election(target.election("followed-" + i)), VALUE));
            progress.accept("following all of them");
            warmUp(target);
            long heap = FollowingFigure.heap();
            long watches = store.watches();
            long began = System.nanoTime();
            try (ElectionsWatch watch = caller.watchElections()) {
                int found = awaitWhole(watch);
                double millis = (System.nanoTime() - began) / 1e6;
                Duration time = target.explanation().lease();
                Requests before = store.count();
                // Lets the listings under way end: an election does not cost them.
                Thread.sleep(time.toMillis());
                Requests asked = store.count().since(before);
                double bytes = FollowingFigure.heap() - heap;
                return List.of(
                        Figure.of("followed: heap", bytes / found, "bytes each")
                                .within(HEAP_MOST)
                                .noting(String.format(
                                        Locale.ROOT,
                                        "%d elections by one client, all known after %.0f ms",
                                        found,
                                        millis)),
                        Figure.of("followed: watches", store.watches() - watches, "of the store")
                                .within(1),
                        Figure.of("followed: requests", asked.all() / (time.toNanos() / 1e9), "per s")
                                .noting("while nothing happens, " + asked.listed() + " records in "
                                        + Durations.words(time)));
            }
        }
    }

    /** Follows with another client first: an election does not cost what is loaded and made once. */
    private void warmUp(Target target) throws InterruptedException {
        try (ElectionClient other = target.client("warm-up").connect();
                ElectionsWatch watch = other.watchElections()) {
            awaitWhole(watch);
        }
    }

    /** Waits until the view shows all elections; returns how many. */
    private int awaitWhole(ElectionsWatch watch) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        int found = watch.awaitListed(PATIENCE).leaders().size();
        while (found < elections) {
            if (System.nanoTime() - deadline > 0) {
                throw new Failure(
                        ExitCode.UNAVAILABLE,
                        "of " + elections + " elections " + found + " were seen within " + PATIENCE.toSeconds() + " s");
            }
            Thread.sleep(10);
            found = watch.view().leaders().size();
        }
        return found;
    }
}
