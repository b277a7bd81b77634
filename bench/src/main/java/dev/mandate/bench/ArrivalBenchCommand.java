package dev.mandate.bench;

import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
        })
final class ArrivalBenchCommand extends StoreBench {
    private static final int CANDIDATES_MAX = 1_000;
    private static final int AMONG_MAX = 200;
    private static final int ROUNDS_MAX = 10_000;

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

    ArrivalBenchCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    @Nullable
    String only() {
        return only;
    }

    @Override
    List<Measurement> all() {
        BenchRun.requireTime(during);
        requireUsed("--during", during != null, "handover");
        return List.of(
                new ArrivalFigure(
                        size("handover", "--candidates", candidates, 2, CANDIDATES_MAX, 20, 3),
                        size("handover", "--rounds", rounds, 1, ROUNDS_MAX, 100, 10),
                        during),
                new TermsFigure(
                        size("terms", "--among", among, 2, AMONG_MAX, 20, 3),
                        size("terms", "--resignations", resignations, 1, ROUNDS_MAX, 100, 6)));
    }
}
