package dev.mandate.bench;

import dev.mandate.console.CommonOptions;
import dev.mandate.console.Console;
import dev.mandate.console.StoreArgument;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mandate bench serve}: see its help. */
@Command(
        name = "serve",
        header = "Measure what finding leaders costs: following, serving, resolving.",
        description = {
            "",
            "Measures what it costs to follow all elections of a store, how soon a change reaches the event"
                    + " streams of the HTTP server that 'mandate serve' starts, how long a GET takes there, and how"
                    + " long a resolver in a program takes. Where possible, the same run also measures what the store"
                    + " alone needs for the same, and shows it as the floor.",
            "",
            "Leaves records behind, so use a disposable store. Takes about a minute.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 measured, whatever the results, 2 bad input, 3 the store did not answer, 4 it has to be set" + " up"
        })
final class ServeBenchCommand implements Callable<Integer> {
    private static final int ELECTIONS_MAX = 100_000;
    private static final int STREAMS_MAX = 200;
    private static final int ROUNDS_MAX = 10_000;
    private static final int GETS_MAX = 1_000_000;

    private final Console console;
    private final Map<String, String> environment;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private StoreArgument store = new StoreArgument();

    @Option(names = "--quick", description = "Smaller sizes, unless given.")
    private boolean quick;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description = "Measure only this: get, resolver, streams or followed.")
    private @Nullable String only;

    @Option(
            names = "--elections",
            paramLabel = "N",
            description = "How many elections 'followed' follows, 1 to 100000. Default: 10,000, quick 100.")
    private @Nullable Integer elections;

    @Option(
            names = "--streams",
            paramLabel = "N",
            description = "How many event streams 'streams' opens, 1 to 200. Default: 200, quick 10.")
    private @Nullable Integer streams;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How many changes it times, 1 to 10000. Default: 200, quick 10.")
    private @Nullable Integer rounds;

    @Option(
            names = "--gets",
            paramLabel = "N",
            description = "How many requests 'get' times, 1 to 1000000. Default: 2,000, quick 50.")
    private @Nullable Integer gets;

    @Option(names = "--json", description = "Print one JSON object instead of a table.")
    private boolean json;

    @Mixin
    private CommonOptions common = new CommonOptions();

    ServeBenchCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (spec != null) {
            BenchRun.requireNothingBefore(spec.commandLine());
        }
        List<Measurement> wanted = BenchRun.only(
                only,
                List.of(
                        // In this order each leaves little for the next to list.
                        new GetFigure(size("--gets", gets, GETS_MAX, 2_000, 50)),
                        new ResolverFigure(),
                        new StreamsFigure(
                                size("--streams", streams, STREAMS_MAX, 200, 10),
                                size("--rounds", rounds, ROUNDS_MAX, 200, 10)),
                        new FollowedFigure(size("--elections", elections, ELECTIONS_MAX, 10_000, 100))));
        BenchRun.requireUsed("--elections", elections != null, "followed", only);
        BenchRun.requireUsed("--streams", streams != null, "streams", only);
        BenchRun.requireUsed("--rounds", rounds != null, "streams", only);
        BenchRun.requireUsed("--gets", gets != null, "get", only);
        return BenchRun.ofStore(console, store, environment, quick, json, wanted);
    }

    private int size(String option, @Nullable Integer given, int most, int usual, int whenQuick) {
        return BenchRun.within(option, given, 1, most, quick ? whenQuick : usual);
    }
}
