package dev.mandate.bench;

import dev.mandate.console.CommonOptions;
import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Log;
import dev.mandate.console.StoreArgument;
import dev.mandate.demo.ScratchGroup;
import dev.mandate.demo.ScratchStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 measured, whatever the results, 2 bad input, 3 the store did not answer, 4 it has to be set" + " up"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final int RUNS_MAX = 1_000;
    /** The members of a scratch group. */
    private static final int MEMBERS = 5;

    private static final String LEASE = "3s";
    private static final int RUNS = 20;
    private static final int RUNS_QUICK = 3;

    private final Console console;
    private final Map<String, String> environment;

    @Mixin
    private StoreArgument store = new StoreArgument();

    @Option(names = "--quick", description = "Fewer samples, and at most 1,000 elections held.")
    private boolean quick;

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
            description = "How many elections 'idle' holds, 1 to 100000. Default: 1, then 1,000, then 10,000.")
    private @Nullable Integer held;

    @Option(
            names = "--during",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long 'idle' holds them: 60s, 10m. Default: six leases, quick one.")
    private @Nullable Duration during;

    @Option(names = "--json", description = "Print one JSON object instead of a table.")
    private boolean json;

    @Mixin
    private CommonOptions common = new CommonOptions();

    private BenchCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    /** Creates the command with those below it; they print to {@code console}. */
    public static CommandLine line(Console console, Map<String, String> environment) {
        return new CommandLine(new BenchCommand(console, environment))
                .addSubcommand(new RegistryBenchCommand(console, environment))
                .addSubcommand(new ArrivalBenchCommand(console, environment))
                .addSubcommand(new ServeBenchCommand(console, environment));
    }

    @Override
    public Integer call() throws InterruptedException {
        int takeOvers = BenchRun.within("--runs", runs, 1, RUNS_MAX, quick ? RUNS_QUICK : RUNS);
        BenchRun.within("--held", held, 1, IdleFigure.HELD_MAX, 1);
        BenchRun.requireTime(during);
        List<Measurement> wanted = BenchRun.only(
                only,
                List.of(
                        new HandOverFigure(),
                        new AcquisitionFigure(),
                        new LossFigure(),
                        new IdleFigure(held, during),
                        new TakeOverFigure(takeOvers)));
        if ((held != null || during != null) && wanted.stream().noneMatch(m -> m instanceof IdleFigure)) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "--held and --during are options of 'idle', but --only is '" + only
                            + "'; leave them out, or give --only idle");
        }
        String given = store.url();
        if (given != null && ScratchGroup.isWanted(given)) {
            Log.showErrorsOnly();
            try (ScratchGroup group = ScratchGroup.of(withLease(given), MEMBERS)) {
                return BenchRun.measure(console, json, Target.of(group, quick), wanted);
            }
        }
        try (ScratchStore scratch = ScratchStore.unless(given, environment)) {
            return BenchRun.measure(console, json, Target.of(scratch.address().requireManyProcesses(), quick), wanted);
        }
    }

    private static String withLease(String group) {
        boolean isGiven = group.matches(".*[?&]lease=.*");
        return isGiven ? group : group + (group.contains("?") ? "&" : "?") + "lease=" + LEASE;
    }
}
