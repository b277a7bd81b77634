package dev.mandate.simulator;

import dev.mandate.simulator.bugs.Find;
import dev.mandate.simulator.bugs.Hunt;
import dev.mandate.simulator.bugs.PlantedBug;
import dev.mandate.simulator.bugs.PlantedBugs;
import dev.mandate.simulator.classic.Algorithm;
import dev.mandate.simulator.classic.Classic;
import dev.mandate.simulator.world.StoreKind;
import java.io.PrintStream;
import java.util.Optional;

/** The simulator on the command line: {@code java -jar simulator/target/simulator.jar --help}. */
public final class Main {
    /** Nothing was broken, or the planted bug was found. */
    static final int FINE = 0;
    /** Something was broken, or the planted bug was not found. */
    static final int BROKEN = 1;
    /** The arguments cannot be understood. */
    static final int BAD_INPUT = 2;

    private final Arguments arguments;
    private final PrintStream out;

    private Main(Arguments arguments, PrintStream out) {
        this.arguments = arguments;
        this.out = out;
    }

    /** Runs the command {@code args} and exits: 0 nothing broken, 1 something broken, 2 bad arguments. */
    public static void main(String[] args) {
        System.exit(execute(args, System.out, System.err));
    }

    /** Runs the command {@code args}; returns the exit code. */
    static int execute(String[] args, PrintStream out, PrintStream err) {
        Arguments arguments;
        try {
            arguments = Arguments.parse(args);
        } catch (IllegalArgumentException e) {
            err.println("simulator: " + e.getMessage());
            return BAD_INPUT;
        }
        return new Main(arguments, out).run();
    }

    private int run() {
        if (arguments.help()) {
            out.print(Arguments.HELP);
            return FINE;
        } else if (arguments.listBugs()) {
            PlantedBugs.all().forEach(bug -> out.printf("%-44s %s%n", bug.name(), bug.what()));
            return FINE;
        }
        Algorithm classic = arguments.classic();
        if (classic != null) {
            Classic.show(classic, arguments.schedules(), arguments.base(), out);
            return FINE;
        }
        PlantedBug bug = arguments.bug();
        Long seed = arguments.seed();
        if (bug != null) {
            return seed == null ? hunt(bug) : show(bug, seed);
        }
        return seed == null ? batch() : replay(seed);
    }

    private int replay(long seed) {
        Replay replay = new Replay(seed, arguments.aim(), arguments.kindOf(seed), arguments.lines());
        out.println(replay);
        return replay.outcome().broken() == null ? FINE : BROKEN;
    }

    private int batch() {
        Batch batch = new Batch(arguments.aim(), arguments.kind(), arguments.base(), arguments.schedules());
        Long failed = batch.run(arguments.threads());
        out.println(batch.figures());
        if (arguments.coverage()) {
            out.println(batch.coverage());
        }
        return failed == null ? FINE : replay(failed);
    }

    private int hunt(PlantedBug bug) {
        out.println(bug.name() + ": " + bug.what());
        Optional<Find> found = Hunt.plant(bug).from(arguments.base());
        if (found.isEmpty()) {
            out.println("not found within " + bug.seedsMax() + " seeds from " + arguments.base() + " on");
            return BROKEN;
        }
        Find find = found.get();
        out.println("found by seed " + find.seed() + ", the " + find.seeds() + ". tried: " + find.invariant() + ": "
                + find.words());
        out.println("its last steps: java -jar simulator/target/simulator.jar --bug " + bug.name() + " --seed "
                + find.seed() + " --expiry " + find.kind().text());
        return FINE;
    }

    private int show(PlantedBug bug, long seed) {
        StoreKind only = arguments.kind() == null ? bug.kind() : arguments.kind();
        StoreKind kind = only == null ? StoreKind.ofSeed(seed) : only;
        Hunt hunt = Hunt.plant(bug);
        out.println(hunt.tell(seed, kind, arguments.lines()));
        return hunt.at(seed, kind).isPresent() ? BROKEN : FINE;
    }
}
