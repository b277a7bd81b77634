package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionEvent;

/** The work of a term: it writes to the guarded resource now and then, and ends some time after it was told to. */
final class WorkStep extends Step {
    private final Reign reign;
    private final boolean ends;

    private WorkStep(Reign reign, boolean ends) {
        super(reign.post.candidate);
        this.reign = reign;
        this.ends = ends;
    }

    /** The term has begun. */
    static void start(Reign reign) {
        World world = reign.post.candidate.world;
        if (world.knobs.writes) {
            nextWrite(world, reign);
        }
    }

    /** The term has ended: interrupts its work, which takes its time to stop. */
    static void stop(Reign reign) {
        if (!reign.isWorking) {
            return;
        }
        Candidate candidate = reign.post.candidate;
        World world = candidate.world;
        Knobs knobs = world.knobs;
        long drain = candidate.timing.drainTimeoutNanos();
        long delay = 0;
        if (!knobs.handles) {
            boolean overruns = !world.network.isHealed
                    && knobs.overrunChance > 0
                    && world.random.nextDouble() < knobs.overrunChance;
            if (overruns && knobs.stuckShare > 0 && world.random.nextDouble() < knobs.stuckShare) {
                world.fired(Fault.WORK_STUCK);
                reign.isStuck = true;
                return;
            }
            delay = overruns
                    ? drain + world.random.nextLong(3 * candidate.timing.leaseNanos())
                    : (long) (drain * knobs.stopShare * world.random.nextDouble());
        }
        world.queue.put(new WorkStep(reign, true), world.now + candidate.clock.trueNanos(delay));
    }

    private static void nextWrite(World world, Reign reign) {
        long pause = reign.post.candidate.timing.leaseNanos();
        world.queue.put(new WorkStep(reign, false), world.now + world.random.nextLong(pause));
    }

    @Override
    void run(World world) {
        if (!reign.isWorking) {
            return;
        }
        if (ends) {
            end(reign);
            return;
        }
        boolean valid = !reign.isEnded && reign.isBelieved() && !reign.isExcused();
        world.fences.write(reign.post.election, reign.term.number(), valid);
        if (!world.network.isHealed) {
            nextWrite(world, reign);
        }
    }

    /** The work has ended, for any reason. */
    static void end(Reign reign) {
        Post post = reign.post;
        reign.isWorking = false;
        post.candidate.deliver(post, new ElectionEvent.WorkStopped(reign.term.number()));
    }

    @Override
    long mark() {
        return 0x500 + reign.term.number() * 2 + (ends ? 1 : 0);
    }

    @Override
    public String toString() {
        return "the work of " + reign + (ends ? " has stopped" : " writes");
    }
}
