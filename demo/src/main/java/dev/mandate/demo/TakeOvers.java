package dev.mandate.demo;

import dev.mandate.Explanation;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Measures how long a take-over takes after a leader's process was killed. */
public final class TakeOvers {
    private static final int WORKERS = 3;
    private static final Duration STARTUP = Duration.ofSeconds(60);

    private TakeOvers() {}

    /**
     * Again and again kills the leader of three processes and starts another process in its place. In a group, kills
     * the leader of all members, starts it again, and waits until it votes. Blocks for a bounded time.
     *
     * @param group the group whose members are killed; null if there is a store
     * @param explanation of the settings: kills are spread over the interval between renewals, a third of the lease
     * @param progress receives a message now and then
     * @return the gaps, each from the kill until this process heard of the next leader
     * @throws dev.mandate.console.Failure if a worker cannot start, or nobody takes over within twice the bound and
     *     20 s
     */
    public static List<Duration> ofKilledLeaders(
            StoreAddress store,
            @Nullable ScratchGroup group,
            String election,
            Explanation explanation,
            int runs,
            Consumer<String> progress)
            throws InterruptedException {
        Duration bound = explanation.failoverAtMost();
        long renewMillis = explanation.lease().dividedBy(3).toMillis();
        List<Duration> gaps = new ArrayList<>();
        int workers = group == null ? WORKERS : group.size();
        try (Cast cast =
                new Cast(name -> group == null ? store : group.ofWorker(name), election, 0, (all, event) -> {})) {
            for (int i = 1; i <= workers; i++) {
                cast.start("worker-" + i);
            }
            int started = workers;
            for (int run = 1; run <= runs; run++) {
                cast.await("not every worker led or followed the leader", STARTUP, cast::settled);
                if (group != null) {
                    group.awaitVoters(explanation, STARTUP);
                }
                Thread.sleep(ThreadLocalRandom.current().nextLong(renewMillis));
                Cast.Term former = cast.await("not every worker led or followed the leader", STARTUP, cast::settled);
                long atNanos = cast.member(former.leader).process.kill();
                Cast.Term next = cast.await(
                        "nobody took over", bound.multipliedBy(2).plus(Demo.PATIENCE), () -> cast.after(former));
                Duration gap = Duration.ofNanos(next.heardNanos - atNanos);
                gaps.add(gap);
                progress.accept("take-over " + run + " of " + runs + ": " + gap.toMillis() + " ms");
                if (run < runs) {
                    started++;
                    cast.start(group == null ? "worker-" + started : former.leader);
                }
            }
        }
        return gaps;
    }
}
