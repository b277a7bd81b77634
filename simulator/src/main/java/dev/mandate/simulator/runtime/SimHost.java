package dev.mandate.simulator.runtime;

import dev.mandate.engine.Now;
import dev.mandate.internal.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The machine of one process: clocks in virtual time, threads that take turns; any call may deschedule its caller. */
final class SimHost implements Host {
    private final Process process;
    private final RuntimeWorld world;
    private final List<Driven> drives = new ArrayList<>(2);
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private boolean isShutDown;
    private int working;

    SimHost(Process process) {
        this.process = process;
        this.world = process.world;
    }

    /** Its clocks moved, or it runs again. */
    void rearm() {
        drives.forEach(Driven::rearm);
    }

    /** Here the caller may be descheduled. */
    void seam() {
        world.seam(process);
    }

    long nanosNow() {
        return process.clock.nanos(world.now());
    }

    @Override
    public Now now() {
        seam();
        Now read = process.clock.now(world.now());
        seam();
        return read;
    }

    /** Now and then extrapolates the boot clock from {@code earlier} instead of reading it. */
    @Override
    public Now since(Now earlier) {
        Now read = now();
        long passed = read.monotonicNanos() - earlier.monotonicNanos();
        return process.clock.estimates() || world.random.nextBoolean()
                ? read
                : new Now(read.monotonicNanos(), earlier.bootNanos() + passed, read.wallMillis());
    }

    @Override
    public long nanos() {
        seam();
        long read = nanosNow();
        seam();
        return read;
    }

    @Override
    public Drive drive(String name, Step step) {
        Driven driven = new Driven(this, process, name, step);
        drives.add(driven);
        return driven;
    }

    @Override
    public Workers workers(String name) {
        return new Workers() {
            @Override
            public void execute(Runnable piece) {
                working++;
                world.put(world.now() + world.wakeLag(), process, "worker", () -> {
                    try {
                        piece.run();
                    } finally {
                        working--;
                        lookWhetherTerminated();
                    }
                });
                seam();
            }

            @Override
            public void shutdown() {
                isShutDown = true;
                lookWhetherTerminated();
            }

            @Override
            public CompletableFuture<Void> terminated() {
                return terminated;
            }
        };
    }

    private void lookWhetherTerminated() {
        if (isShutDown && working == 0) {
            terminated.complete(null);
        }
    }

    @Override
    public boolean await(CompletableFuture<?> done, long untilNanos) throws InterruptedException {
        while (!done.isDone() && nanosNow() < untilNanos) {
            long until = untilNanos == Long.MAX_VALUE ? Long.MAX_VALUE : process.when(untilNanos) + world.wakeLag();
            world.await(done, until);
        }
        return done.isDone();
    }

    @Override
    public void halt(int status) {
        world.requireNotOver();
        process.halted();
        world.parkForEver();
    }
}
