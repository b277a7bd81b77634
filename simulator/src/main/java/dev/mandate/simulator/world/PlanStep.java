package dev.mandate.simulator.world;

import java.util.function.Consumer;

/** A planned step of the world at large. */
final class PlanStep extends Step {
    private final Consumer<World> plan;
    private final Object what;

    PlanStep(Consumer<World> plan, Object what) {
        super(null);
        this.plan = plan;
        this.what = what;
    }

    @Override
    void run(World world) {
        plan.accept(world);
    }

    @Override
    long mark() {
        return 0x600 + (what instanceof Fault fault ? fault.ordinal() : 99);
    }

    @Override
    public String toString() {
        return "plan: " + what;
    }
}
