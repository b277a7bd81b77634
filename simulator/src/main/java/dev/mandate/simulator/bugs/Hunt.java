package dev.mandate.simulator.bugs;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.Transcript;
import dev.mandate.simulator.world.World;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Plants a bug and looks for it. */
public final class Hunt {
    private Hunt() {}

    /**
     * Plants {@code bug} and tries one seed after the other.
     *
     * @throws IllegalStateException if it cannot be planted
     */
    public static Find hunt(PlantedBug bug) {
        String[] found = (String[]) call(bug, "search", aim(bug), kind(bug), Long.toString(bug.seedsMax()));
        return new Find(Long.parseLong(found[0]), found[1].isEmpty() ? null : Invariant.valueOf(found[1]), found[2]);
    }

    /** Plants {@code bug} and tells what one seed makes of it, with its last steps. */
    public static String replay(PlantedBug bug, long seed, StoreKind kind, int lines) {
        return (String) call(bug, "tell", aim(bug), kind.text(), Long.toString(seed), Integer.toString(lines));
    }

    private static String aim(PlantedBug bug) {
        return bug.aim().text();
    }

    private static String kind(PlantedBug bug) {
        StoreKind kind = bug.kind();
        return kind == null ? "" : kind.text();
    }

    /** Calls one of the methods below in the copy of this class that runs with the bug. */
    private static Object call(PlantedBug bug, String method, String... arguments) {
        BugLoader loader = new BugLoader(BugCompiler.compile(bug));
        try {
            Class<?> twin = Class.forName(Hunt.class.getName(), true, loader);
            Method entry = twin.getDeclaredMethod(method, String[].class);
            entry.setAccessible(true);
            return entry.invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("planted bug " + bug.name() + " broke the simulator itself", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("planted bug " + bug.name() + " cannot be run", e);
        }
    }

    /** In the copy: aim, kind or nothing, number of seeds. */
    static String[] search(String[] arguments) {
        Aim aim = Aim.parse(arguments[0]);
        Coverage coverage = new Coverage();
        long end = PlantedBug.SEED_BASE + Long.parseLong(arguments[2]);
        for (long seed = PlantedBug.SEED_BASE; seed < end; seed++) {
            StoreKind kind = arguments[1].isEmpty() ? StoreKind.ofSeed(seed) : StoreKind.parse(arguments[1]);
            Outcome outcome = new World(seed, aim, kind, coverage, null).run();
            if (outcome.broken() != null) {
                return new String[] {Long.toString(seed), outcome.broken().name(), outcome.words()};
            }
        }
        return new String[] {Long.toString(end), "", ""};
    }

    /** In the copy: aim, kind, seed, number of lines. */
    static String tell(String[] arguments) {
        Transcript log = new Transcript(Integer.parseInt(arguments[3]));
        long seed = Long.parseLong(arguments[2]);
        World world = new World(seed, Aim.parse(arguments[0]), StoreKind.parse(arguments[1]), new Coverage(), log);
        Outcome outcome = world.run();
        return world.knobs() + "\n" + log + "\n"
                + (outcome.broken() == null ? "nothing was broken" : outcome.broken() + ": " + outcome.words());
    }
}
