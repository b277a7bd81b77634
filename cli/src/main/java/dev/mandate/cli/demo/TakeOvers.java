package dev.mandate.cli.demo;

import dev.mandate.cli.StoreAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** How long it takes until another leads when a leader's process is killed. */
public final class TakeOvers {
    private static final int WORKERS = 3;
    private static final Duration STARTUP = Duration.ofSeconds(60);

    private TakeOvers() {}

    /**
     * Kills the leader of three processes, again and again, and starts another one in its place. Blocks, bounded.
     *
     * @param renew how often a lease is renewed; the kills are spread over all of it
     * @param bound within which another should lead
     * @param progress is told how far it is
     * @return the gaps, each from the kill until this process heard of the next leader
     * @throws dev.mandate.cli.Failure if a worker cannot start, or nobody takes over within twice the bound and 20 s
     */
    public static List<Duration> ofKilledLeaders(
            StoreAddress store, String election, Duration renew, Duration bound, int runs, Consumer<String> progress)
            throws InterruptedException {
        List<Duration> gaps = new ArrayList<>();
        try (Cast cast = new Cast(name -> store, election, 0, (all, event) -> {})) {
            int started = 0;
            for (int run = 1; run <= runs; run++) {
                while (cast.members().stream().filter(Cast.Member::takesPart).count() < WORKERS) {
                    started++;
                    cast.start("worker-" + started);
                }
                cast.await("not every worker led or followed the leader", STARTUP, cast::settled);
                Thread.sleep(ThreadLocalRandom.current().nextLong(renew.toMillis()));
                Cast.Term former = cast.await("not every worker led or followed the leader", STARTUP, cast::settled);
                long atNanos = cast.member(former.leader).process.kill();
                Cast.Term next = cast.await(
                        "nobody took over", bound.multipliedBy(2).plus(Demo.PATIENCE), () -> cast.after(former));
                Duration gap = Duration.ofNanos(next.heardNanos - atNanos);
                gaps.add(gap);
                progress.accept("take-over " + run + " of " + runs + ": " + gap.toMillis() + " ms");
            }
        }
        return gaps;
    }
}
