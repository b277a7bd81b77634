package dev.mandate.bench;

import dev.mandate.console.Console;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
        })
final class ServeBenchCommand extends StoreBench {
    private static final int ELECTIONS_MAX = 100_000;
    private static final int STREAMS_MAX = 200;
    private static final int ROUNDS_MAX = 10_000;
    private static final int GETS_MAX = 1_000_000;

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

    ServeBenchCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    @Nullable
    String only() {
        return only;
    }

    @Override
    List<Measurement> all() {
        return List.of(
                // In this order each leaves little for the next to list.
                new GetFigure(size("get", "--gets", gets, 1, GETS_MAX, 2_000, 50)),
                new ResolverFigure(),
                new StreamsFigure(
                        size("streams", "--streams", streams, 1, STREAMS_MAX, 200, 10),
                        size("streams", "--rounds", rounds, 1, ROUNDS_MAX, 200, 10)),
                new FollowedFigure(size("followed", "--elections", elections, 1, ELECTIONS_MAX, 10_000, 100)));
    }
}
