package dev.mandate.bench;

import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import dev.mandate.console.Log;
import dev.mandate.demo.ScratchGroup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mandate bench}: see its help. */
@Command(
        name = "bench",
        header = "Measure what elections cost in a store.",
        description = {
            "",
            "Measures hand-overs after a resignation, acquisitions per second, how soon a leader notices that"
                    + " its record was removed, what it costs to hold many elections while nothing happens, and"
                    + " take-overs after SIGKILL. Where possible, the same run also measures what the store alone needs"
                    + " for the same, and shows it as the floor.",
            "",
            "With bully, ring or peers alone as the URL, it starts and measures a group of five on this"
                    + " machine, with a lease of 3 s unless a parameter says otherwise: mandate bench"
                    + " 'bully?lease=10s'.",
            "",
            "Leaves the records of some ten thousand elections behind, so use a disposable store. Takes some"
                    + " minutes, with --quick one or two; longer if leases are long or the store is slow.",
            "",
            "'mandate bench registry' measures the service registry, 'mandate bench arrival' elections with"
                    + " order=arrival, and 'mandate bench serve' what finding leaders costs.",
            ""
        })
public final class BenchCommand extends StoreBench {
    private static final int RUNS_MAX = 1_000;
    /** The members of a scratch group. */
    private static final int MEMBERS = 5;

    private static final String LEASE = "3s";

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description = "Measure only this: handover, acquisitions, loss, idle or takeover.")
    private @Nullable String only;

    @Option(names = "--runs", paramLabel = "N", description = "How many take-overs, 1 to 1000. Default: 20, quick 3.")
    private @Nullable Integer runs;

    @Option(
            names = "--held",
            paramLabel = "N",
            description = "How many elections 'idle' holds, 1 to 100000. Default: 1, then 1,000, then 10,000; quick at"
                    + " most 1,000.")
    private @Nullable Integer held;

    @Option(
            names = "--during",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long 'idle' holds them: 60s, 10m. Default: six leases, quick one.")
    private @Nullable Duration during;

    private BenchCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    /** Creates the command with those below it; they print to {@code console}. */
    public static CommandLine line(Console console, Map<String, String> environment) {
        return new CommandLine(new BenchCommand(console, environment))
                .addSubcommand(new RegistryBenchCommand(console, environment))
                .addSubcommand(new ArrivalBenchCommand(console, environment))
                .addSubcommand(new ServeBenchCommand(console, environment));
    }

    @Override
    @Nullable
    String only() {
        return only;
    }

    @Override
    List<Measurement> all() {
        requireUsed("--held", held != null, "idle");
        requireUsed("--during", during != null, "idle");
        BenchRun.within("--held", held, 1, IdleFigure.HELD_MAX, 1);
        BenchRun.requireTime(during);
        return List.of(
                new HandOverFigure(),
                new AcquisitionFigure(),
                new LossFigure(),
                new IdleFigure(held, during),
                new TakeOverFigure(size("takeover", "--runs", runs, 1, RUNS_MAX, 20, 3)));
    }

    /** Starts the group. */
    @Override
    int measureNewGroup(String url, List<Measurement> wanted) throws InterruptedException {
        Log.showErrorsOnly();
        try (ScratchGroup group = ScratchGroup.of(withLease(url), MEMBERS)) {
            return measure(Target.of(group, isQuick()), wanted);
        }
    }

    private static String withLease(String group) {
        boolean isGiven = group.matches(".*[?&]lease=.*");
        return isGiven ? group : group + (group.contains("?") ? "&" : "?") + "lease=" + LEASE;
    }
}
