package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.engine.TidyingMachine;
import dev.mandate.registry.Registration;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What is left of instances that restart again and again under new ids: half of them are closed, the others killed with
 * their process. One instance of the same service stays alive and tidies.
 */
final class RestartFigure implements Measurement {
    /** So few that a database server with default settings has connections for all. */
    private static final int PER_PROCESS = 20;

    private static final int PAGES_MAX = 10_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration ROUND = Duration.ofNanos(TidyingMachine.ROUND_NANOS);
    private static final int PAUSE_MILLIS = 2_000;

    private final int restarts;
    private final boolean isTidied;

    /** @param isTidied whether to wait until the living instance has tidied, if the store needs that */
    RestartFigure(int restarts, boolean isTidied) {
        this.restarts = restarts;
        this.isTidied = isTidied;
    }

    @Override
    public String name() {
        return "restarts";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        if (target.isMemory()) {
            progress.accept("restarts are skipped: other processes cannot use a store in this process's memory");
            return List.of();
        }
        String service = target.election("restarts");
        try (ElectionClient survivor = target.client("survivor").connect();
                ElectionStore store = target.store();
                Follower follower = new Follower(survivor, service)) {
            Registration stays = survivor.registry().register(service, SampleInstances.instance(0));
            follower.awaitAdded(stays.id(), PATIENCE);
            int killed = restart(target, service, progress);
            long killedNanos = System.nanoTime();

            StoreTraits traits = store.traits();
            Left dead = left(store, service);
            Duration bound = target.goneWithin(traits, dead.pages());
            progress.accept("waiting until the killed instances disappear, " + Durations.words(bound) + " at most");
            boolean isGone = follower.shrinks(1, killedNanos + bound.toNanos());
            double goneMillis = (System.nanoTime() - killedNanos) / 1e6;
            int listed = follower.view().instances().size() - 1;
            List<Figure> figures = new ArrayList<>();
            figures.add(Figure.of("restarts: listed", listed, "instances")
                    .within(0)
                    .noting("after " + restarts + " restarts, " + killed + " of them killed"));
            if (isGone) {
                figures.add(Figure.of("restarts: last gone", goneMillis, "ms").within(bound.toNanos() / 1e6));
            }
            Duration tidied = tidiedWithin(traits, killed);
            if (isTidied && !tidied.isZero()) {
                figures.addAll(tidied(store, service, killedNanos, tidied, progress));
            } else {
                figures.add(records(left(store, service), tidied));
            }
            return figures;
        }
    }

    /** Restarts all; returns how many were killed. */
    private int restart(Target target, String service, Consumer<String> progress) throws InterruptedException {
        int killed = 0;
        for (int from = 0; from < restarts; from += PER_PROCESS) {
            int count = Math.min(PER_PROCESS, restarts - from);
            // Of an odd number, rounds up and down in turns.
            int closed = (from + count) / 2 - from / 2;
            progress.accept("restarts " + (from + 1) + " to " + (from + count) + " of " + restarts);
            try (BenchProcess process = BenchProcess.start(RegistrantMain.class, target.address())) {
                process.awaitReady();
                process.ask("register " + count + " " + service + " restart-" + from + "-");
                process.ask("close " + closed);
                process.kill();
            }
            killed += count - closed;
        }
        return killed;
    }

    /** How long it may take until the dead are tidied; 0 if the store removes them. */
    static Duration tidiedWithin(StoreTraits traits, int killed) {
        if (traits.expiry() == Expiry.STORE_REMOVES) {
            return Duration.ZERO;
        }
        int rounds = (killed + TidyingMachine.REMOVED_MAX - 1) / TidyingMachine.REMOVED_MAX;
        // The first round only looks.
        return ROUND.multipliedBy(rounds + 1);
    }

    private static Figure records(Left left, Duration tidied) {
        Figure figure = Figure.of("restarts: records left", left.records() - 1, "records");
        return tidied.isZero()
                ? figure.within(0)
                : figure.noting("live instances remove the records of dead ones within " + Durations.words(tidied)
                        + "; --tidied waits for it");
    }

    private static List<Figure> tidied(
            ElectionStore store, String service, long killedNanos, Duration atMost, Consumer<String> progress)
            throws InterruptedException {
        long deadline = killedNanos + atMost.plus(PATIENCE).toNanos();
        Left left = left(store, service);
        while (left.records() > 1 && System.nanoTime() - deadline < 0) {
            progress.accept(left.records() - 1 + " records to be removed, "
                    + Durations.words(Duration.ofNanos(deadline - System.nanoTime())) + " left");
            for (int i = 0; i < 30 && left.records() > 1; i++) {
                Thread.sleep(PAUSE_MILLIS);
                left = left(store, service);
            }
        }
        double seconds = (System.nanoTime() - killedNanos) / 1e9;
        return List.of(
                Figure.of("restarts: records left", left.records() - 1, "records")
                        .within(0),
                Figure.of("restarts: tidied", seconds, "s").within(atMost.toSeconds()));
    }

    /**
     * The records of a service, held or vacant.
     *
     * @param pages pages of the listing
     */
    private record Left(int records, int pages) {}

    private static Left left(ElectionStore store, String service) throws InterruptedException {
        int records = 0;
        Cursor from = Cursor.START;
        for (int pages = 1; pages <= PAGES_MAX; pages++) {
            Page<Observation> page =
                    Target.await("listing", store.list(RecordKey.registrations(service), from, Target.call()));
            records += page.items().size();
            if (page.next().isEmpty()) {
                return new Left(records, pages);
            }
            from = page.next().get();
        }
        throw new Failure(ExitCode.UNEXPECTED, "listing " + service + " showed no last page");
    }
}
