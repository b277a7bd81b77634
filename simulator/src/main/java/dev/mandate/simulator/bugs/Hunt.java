package dev.mandate.simulator.bugs;

import dev.mandate.simulator.world.StoreKind;
import java.util.Optional;

/** Plants a bug and looks for it. Safe for use from several threads. */
public final class Hunt {
    private final PlantedBug bug;
    private final EditedEngine engine;

    private Hunt(PlantedBug bug) {
        this.bug = bug;
        this.engine = new EditedEngine(bug.name(), bug.edits());
    }

    /**
     * Plants {@code bug}: compiles and loads it, which takes a moment.
     *
     * @throws IllegalStateException if an edit does not fit the present source, or its result does not compile
     */
    public static Hunt plant(PlantedBug bug) {
        return new Hunt(bug);
    }

    /** Tries {@code seedBase}, {@code seedBase + 1}, … within the budget until one breaks an invariant of the bug. */
    public Optional<Find> from(long seedBase) {
        return engine.search(bug.aim(), bug.kind(), seedBase, bug.seedsMax(), bug.invariants());
    }

    /** What one seed breaks on one kind of store, any invariant; empty if nothing. */
    public Optional<Find> at(long seed, StoreKind kind) {
        return engine.searchAny(bug.aim(), kind, seed, 1);
    }

    /** Replays one seed; returns its knobs, its last {@code lines} steps, and what was broken. */
    public String tell(long seed, StoreKind kind, int lines) {
        return engine.tell(bug.aim(), kind, seed, lines);
    }
}
