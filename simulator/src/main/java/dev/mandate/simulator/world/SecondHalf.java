package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionAction;
import dev.mandate.spi.WriteOutcome;

/**
 * The second of two requests of an acquire: the row after the session (SQL), the record after the lease (Azure Blob).
 * The client sends it once the first was answered, unless it is gone, stopped, cut off or out of time.
 */
final class SecondHalf extends Step {
    private final Call call;
    private final ElectionAction.Acquire acquire;
    private final World world;
    /** Whether it gives the first half back instead of completing it. */
    private boolean givesBack;

    SecondHalf(World world, Call call, ElectionAction.Acquire acquire) {
        super(null);
        this.world = world;
        this.call = call;
        this.acquire = acquire;
    }

    /** Sends it; returns {@link Answer#LATER}. */
    Object sent() {
        world.network.half(this);
        return Answer.LATER;
    }

    @Override
    void run(World world) {
        Server server = world.server;
        if (givesBack) {
            server.store.unclaim(acquire.key(), acquire.proposal().attempt(), server.nanos());
            server.settle();
            return;
        }
        Candidate from = call.from;
        boolean lives = from.isUp && from.epoch == call.fromEpoch;
        boolean inTime = from.get().monotonicNanos() - call.askedAtNanos < acquire.timeoutNanos();
        if (!lives || from.isFrozen || !inTime || !world.network.reaches(from)) {
            world.fired(Fault.TAKEN_BY_HALF);
            if (lives && !world.knobs.kind.isBySession() && world.random.nextBoolean()) {
                givesBack = true;
                world.network.half(this);
            }
            return;
        }
        WriteOutcome outcome = server.acquire(acquire);
        server.settle();
        if (world.log != null) {
            world.note("  server", "the second half of " + call + " -> " + outcome);
        }
        world.network.answer(call, outcome);
    }

    @Override
    long mark() {
        return 0xA00 + call.request * 43 + call.from.index;
    }

    @Override
    public String toString() {
        return (givesBack ? "what was half taken is given back: " : "the second half of ") + call;
    }
}
