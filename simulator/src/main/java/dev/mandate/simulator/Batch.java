package dev.mandate.simulator;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs many schedules, one seed after the other, on several threads, up to the first violation. */
public final class Batch {
    private final Aim aim;
    private final @Nullable StoreKind kind;
    private final long seedBase;
    private final long schedules;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong firstFailed = new AtomicLong(Long.MAX_VALUE);
    private final Coverage coverage = new Coverage();
    private long steps;
    private long done;
    private long cpuNanos;

    /** Schedules {@code seedBase}, {@code seedBase + 1}, …; a null {@code kind} follows from the seed. */
    public Batch(Aim aim, @Nullable StoreKind kind, long seedBase, long schedules) {
        this.aim = aim;
        this.kind = kind;
        this.seedBase = seedBase;
        this.schedules = schedules;
    }

    /** Runs all schedules; returns the smallest seed that failed among those run, or null. */
    public @Nullable Long run(int threads) {
        long cpuBefore = processCpuNanos();
        List<Thread> workers = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            Thread worker = new Thread(this::work, "mandate-simulator-" + i);
            worker.setDaemon(true);
            worker.start();
            workers.add(worker);
        }
        work();
        for (Thread worker : workers) {
            try {
                worker.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while schedules ran", e);
            }
        }
        if (aim.isRuntime()) {
            // Its schedules run on their own threads.
            synchronized (this) {
                cpuNanos = processCpuNanos() - cpuBefore;
            }
        }
        long failed = firstFailed.get();
        return failed == Long.MAX_VALUE ? null : seedBase + failed;
    }

    private static long processCpuNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }

    private void work() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpuBefore = threads.getCurrentThreadCpuTime();
        Coverage own = new Coverage();
        long ownSteps = 0;
        long ownDone = 0;
        while (true) {
            long i = next.getAndIncrement();
            if (i >= schedules || i > firstFailed.get()) {
                break;
            }
            long seed = seedBase + i;
            Outcome outcome = Schedule.of(seed, aim, kind == null ? StoreKind.ofSeed(seed) : kind, own, null)
                    .run();
            ownSteps += outcome.steps();
            ownDone++;
            if (outcome.broken() != null) {
                firstFailed.accumulateAndGet(i, Math::min);
            }
        }
        synchronized (this) {
            coverage.add(own);
            steps += ownSteps;
            done += ownDone;
            cpuNanos += threads.getCurrentThreadCpuTime() - cpuBefore;
        }
    }

    /** What the schedules met. */
    public synchronized Coverage coverage() {
        return coverage;
    }

    /** How many events happened in all schedules together. */
    public synchronized long steps() {
        return steps;
    }

    /** The speed in one line, per processor time, so that a busy machine hardly distorts it. */
    public synchronized String figures() {
        return String.format(
                Locale.ROOT,
                "%,d schedules from seed %d on: %.0f schedules per cpu second, %.2f million steps per cpu second,"
                        + " %.0f steps per schedule",
                done,
                seedBase,
                done / (cpuNanos / 1e9),
                steps / (cpuNanos / 1e3),
                (double) steps / Math.max(1, done));
    }

    /** How many schedules were run. */
    public synchronized long done() {
        return done;
    }
}
