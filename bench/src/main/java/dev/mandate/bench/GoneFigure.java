package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.console.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** Time from SIGKILL of an instance's process until a follower hears that it is gone, beside the computed bound. */
final class GoneFigure implements Measurement {
    /** Killed together, or the bench would take a lease for each. */
    private static final int AT_ONCE = 5;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final int runs;

    GoneFigure(int runs) {
        this.runs = runs;
    }

    @Override
    public String name() {
        return "gone";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        if (target.isMemory()) {
            progress.accept("gone is skipped: other processes cannot use a store in this process's memory");
            return List.of();
        }
        Duration bound = target.goneWithin(target.traits(), 1);
        String service = target.election("gone");
        Samples gaps = new Samples(runs);
        try (ElectionClient caller = target.client("caller").connect();
                Follower follower = new Follower(caller, service)) {
            for (int from = 0; from < runs; from += AT_ONCE) {
                List<String> ids = new ArrayList<>();
                for (int i = from; i < Math.min(runs, from + AT_ONCE); i++) {
                    ids.add("killed-" + i + "-");
                }
                for (long gap : killed(target, service, ids, follower, bound)) {
                    gaps.add(gap);
                    progress.accept("gone " + gaps.count() + " of " + runs + ": " + gap / 1_000_000 + " ms");
                }
            }
        }
        double atMost = bound.toNanos() / 1e6;
        return List.of(
                Figure.of("killed to gone median", gaps.millis(0.5), "ms")
                        .within(atMost)
                        .noting("lease " + Durations.words(target.registrationLease())),
                Figure.of("killed to gone max", gaps.millis(1), "ms")
                        .within(atMost)
                        .noting(gaps.within(bound) + " of " + gaps.count() + " within the bound"));
    }

    /** Starts a process for each id and kills it; returns the gaps in nanoseconds. */
    private static List<Long> killed(Target target, String service, List<String> ids, Follower follower, Duration bound)
            throws InterruptedException {
        List<BenchProcess> processes = new ArrayList<>();
        try {
            ids.forEach(id -> processes.add(BenchProcess.start(RegistrantMain.class, target.address())));
            processes.forEach(BenchProcess::awaitReady);
            for (int i = 0; i < ids.size(); i++) {
                processes.get(i).ask("register 1 " + service + " " + ids.get(i));
                follower.awaitAdded(ids.get(i) + "0", PATIENCE);
            }
            long renewMillis = target.registrationLease().dividedBy(3).toMillis();
            List<Long> killedNanos = new ArrayList<>();
            for (BenchProcess process : processes) {
                // Kills at random times between two renewals.
                Thread.sleep(ThreadLocalRandom.current().nextLong(renewMillis / ids.size() + 1));
                killedNanos.add(process.kill());
            }
            List<Long> gaps = new ArrayList<>();
            for (int i = 0; i < ids.size(); i++) {
                long gone = follower.awaitRemoved(
                        ids.get(i) + "0", bound.multipliedBy(2).plus(PATIENCE));
                gaps.add(gone - killedNanos.get(i));
            }
            return gaps;
        } finally {
            processes.forEach(BenchProcess::close);
        }
    }
}
