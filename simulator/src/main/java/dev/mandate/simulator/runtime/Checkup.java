package dev.mandate.simulator.runtime;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Hazard;

/** The health check of one candidacy's task, and what it did when. All times are true. */
final class Checkup {
    private final Process process;
    private final RuntimeWorld world;
    private final RuntimeKnobs knobs;

    /** The check that is running, or ran last. */
    private long since = Long.MIN_VALUE;

    private long until = Long.MIN_VALUE;
    private boolean isInside;
    private long saidNoSince = Long.MIN_VALUE;

    Checkup(Process process) {
        this.process = process;
        this.world = process.world;
        this.knobs = world.knobs;
    }

    long everyNanos() {
        return knobs.leaseNanos() / 4;
    }

    long timeoutNanos() {
        return knobs.leaseNanos() / 8;
    }

    boolean isHealthy() {
        process.isolated("a health check");
        if (isInside) {
            world.judge.violated(Invariant.CALLBACKS, process + " runs two health checks at once");
        }
        boolean hangs = !world.isHealed() && world.random.nextDouble() < knobs.unhealthy;
        boolean isWell = world.isHealed() || world.random.nextDouble() >= knobs.unhealthy;
        isInside = true;
        since = world.now();
        try {
            if (hangs) {
                world.note(() -> "  a health check of " + process + " hangs");
                world.fired(Hazard.CHECK_HUNG);
                process.sleep(world.random.nextLong(knobs.leaseNanos()));
            }
        } catch (InterruptedException e) {
            if (world.random.nextBoolean()) {
                process.sleepStubbornly(world.random.nextLong(knobs.leaseNanos()));
            }
            isWell = false;
        } finally {
            isInside = false;
            until = world.now();
        }
        if (!isWell) {
            world.note(() -> "  a health check of " + process + " says no");
            world.fired(Hazard.TASK_UNHEALTHY);
            saidNoSince = since;
        }
        return isWell;
    }

    boolean isInside() {
        return isInside;
    }

    /**
     * Whether there is reason to end a term acquired at {@code acquiredAt}: its own check said no or was late, a check
     * of an earlier term kept its own from starting, or the process was stalled.
     */
    boolean isReasonToEnd(long acquiredAt) {
        long end = isInside ? world.now() : until;
        boolean isOwn = since >= acquiredAt;
        // Half of each, because it is awaited from before its call.
        long most = isOwn ? timeoutNanos() / 2 : everyNanos() + timeoutNanos() / 2;
        return saidNoSince >= acquiredAt
                || end - Math.max(since, acquiredAt) >= process.clock.trueNanos(most)
                || process.stalledUntil() > acquiredAt;
    }
}
