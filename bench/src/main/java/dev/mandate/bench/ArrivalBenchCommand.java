package dev.mandate.bench;

import dev.mandate.console.CommonOptions;
import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import dev.mandate.console.StoreArgument;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mandate bench arrival}: see its help. */
@Command(
        name = "arrival",
        header = "Measure what order=arrival costs in a store, compared with race.",
        description = {
            "",
            "Measures hand-overs among many candidates, each with its own connections: how long they take,"
                    + " the requests of each, and the requests while nothing happens. Also measures how evenly terms"
                    + " are spread when leaders resign and campaign again. First with order=arrival, then with"
                    + " order=race. The floor of a hand-over is what the store alone needs for it, measured in the same"
                    + " run.",
            "",
            "A database server must allow enough connections for all candidates. Takes a minute or two.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 measured, whatever the results, 2 bad input, 3 the store did not answer, 4 it has to be set" + " up"
        })
final class ArrivalBenchCommand implements Callable<Integer> {
    private static final int CANDIDATES_MAX = 1_000;
    private static final int AMONG_MAX = 200;
    private static final int ROUNDS_MAX = 10_000;

    private final Console console;
    private final Map<String, String> environment;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private StoreArgument store = new StoreArgument();

    @Option(names = "--quick", description = "Smaller sizes, unless given.")
    private boolean quick;

    @Option(names = "--only", paramLabel = "NAME", description = "Measure only this: handover or terms.")
    private @Nullable String only;

    @Option(
            names = "--candidates",
            paramLabel = "N",
            description = "How many candidates 'handover' has, 2 to 1000. Default: 20, quick 3.")
    private @Nullable Integer candidates;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How many hand-overs it times for each order, 1 to 10000. Default: 100, quick 10.")
    private @Nullable Integer rounds;

    @Option(
            names = "--during",
            paramLabel = "TIME",
            converter = Durations.class,
            description =
                    "How long it counts requests while nothing happens, for each order: 60s, 10m. Default: a lease.")
    private @Nullable Duration during;

    @Option(
            names = "--resignations",
            paramLabel = "N",
            description = "How many resignations 'terms' counts for each order, 1 to 10000. Default: 100, quick 6.")
    private @Nullable Integer resignations;

    @Option(
            names = "--among",
            paramLabel = "N",
            description = "How many candidates 'terms' has, 2 to 200. Default: 20, quick 3.")
    private @Nullable Integer among;

    @Option(names = "--json", description = "Print one JSON object instead of a table.")
    private boolean json;

    @Mixin
    private CommonOptions common = new CommonOptions();

    ArrivalBenchCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (spec != null) {
            BenchRun.requireNothingBefore(spec.commandLine());
        }
        BenchRun.requireTime(during);
        List<Measurement> wanted = BenchRun.only(
                only,
                List.of(
                        new ArrivalFigure(
                                size("--candidates", candidates, 2, CANDIDATES_MAX, 20, 3),
                                size("--rounds", rounds, 1, ROUNDS_MAX, 100, 10),
                                during),
                        new TermsFigure(
                                size("--among", among, 2, AMONG_MAX, 20, 3),
                                size("--resignations", resignations, 1, ROUNDS_MAX, 100, 6))));
        BenchRun.requireUsed("--candidates", candidates != null, "handover", only);
        BenchRun.requireUsed("--rounds", rounds != null, "handover", only);
        BenchRun.requireUsed("--during", during != null, "handover", only);
        BenchRun.requireUsed("--resignations", resignations != null, "terms", only);
        BenchRun.requireUsed("--among", among != null, "terms", only);
        return BenchRun.ofStore(console, store, environment, quick, json, wanted);
    }

    private int size(String option, @Nullable Integer given, int least, int most, int usual, int whenQuick) {
        return BenchRun.within(option, given, least, most, quick ? whenQuick : usual);
    }
}
