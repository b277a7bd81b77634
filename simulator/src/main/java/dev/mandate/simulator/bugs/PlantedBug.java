package dev.mandate.simulator.bugs;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.testkit.bugs.Edit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One known mistake.
 *
 * @param name on the command line and in the ledger
 * @param what one sentence about it
 * @param whose who made it first, as far as is known
 * @param edits of the sources that plant it
 * @param aim the worlds in which to look for it
 * @param kind the kind of store, or null for all in turn
 * @param seedsMax within how many seeds it must be found
 * @param invariants those that may reveal it
 */
public record PlantedBug(
        String name,
        String what,
        String whose,
        List<Edit> edits,
        Aim aim,
        @Nullable StoreKind kind,
        long seedsMax,
        Set<Invariant> invariants) {

    /** The budget of a bug that names none. */
    public static final long SEEDS = 2_000;

    /** The largest budget: a rarer bug needs worlds in which it shows. */
    public static final long SEEDS_MOST = 20_000;

    /** A bug in the making. */
    static Draft bug(String name, String what) {
        return new Draft(name, what);
    }

    /** Collects what makes a bug. */
    static final class Draft {
        private final String name;
        private final String what;
        private String whose = "our own drafts";
        private final List<Edit> edits = new ArrayList<>();
        private Aim aim = Aim.SWARM;
        private @Nullable StoreKind kind;
        private long seedsMax = SEEDS;

        private Draft(String name, String what) {
            this.name = name;
            this.what = what;
        }

        Draft of(String whoseMistake) {
            this.whose = whoseMistake;
            return this;
        }

        Draft edit(String file, String find, String replace) {
            edits.add(new Edit(file, find, replace));
            return this;
        }

        Draft in(StoreKind only) {
            this.kind = only;
            return this;
        }

        Draft in(Aim worlds) {
            this.aim = worlds;
            return this;
        }

        Draft within(long seeds) {
            this.seedsMax = seeds;
            return this;
        }

        PlantedBug foundBy(Invariant first, Invariant... others) {
            return new PlantedBug(
                    name, what, whose, List.copyOf(edits), aim, kind, seedsMax, EnumSet.of(first, others));
        }
    }
}
