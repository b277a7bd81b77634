package dev.mandate.simulator;

import dev.mandate.simulator.groups.GroupWorld;
import dev.mandate.simulator.runtime.RuntimeWorld;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.Transcript;
import dev.mandate.simulator.world.World;
import org.jspecify.annotations.Nullable;

/** One schedule: of bare machines, of the real runtime, or of a group without a store. */
public interface Schedule {
    /** What the seed decided before anything happened, for people. */
    String knobs();

    /** Runs to the end or to the first violation. Call it once. */
    Outcome run();

    /** The schedule of {@code seed} in the worlds of {@code aim}; {@code log}, if given, records it. */
    static Schedule of(long seed, Aim aim, StoreKind kind, Coverage coverage, @Nullable Transcript log) {
        if (aim.isRuntime()) {
            return new RuntimeWorld(seed, aim, kind, coverage, log);
        } else if (aim.isGroup()) {
            return new GroupWorld(seed, aim, coverage, log);
        }
        World world = new World(seed, aim, kind, coverage, log);
        return new Schedule() {
            @Override
            public String knobs() {
                return world.knobs().toString();
            }

            @Override
            public Outcome run() {
                return world.run();
            }
        };
    }
}
