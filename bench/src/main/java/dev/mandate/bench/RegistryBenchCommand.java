package dev.mandate.bench;

import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mandate bench registry}: see its help. */
@Command(
        name = "registry",
        header = "Measure what the service registry costs in a store.",
        description = {
            "",
            "Measures how soon a registered instance is seen and a killed one disappears, how often a client"
                    + " with many elections and registrations renews, what it costs to follow services, and what"
                    + " restarts under new ids leave behind. Where possible, the same run also measures what the store"
                    + " alone needs for the same, and shows it as the floor.",
            "",
            "Leaves records behind, so use a disposable store. Takes one or two minutes with a lease of 3 s.",
            ""
        })
final class RegistryBenchCommand extends StoreBench {
    private static final int ROUNDS_MAX = 10_000;
    private static final int RUNS_MAX = 1_000;
    private static final int REGISTRATIONS_MAX = 10_000;
    private static final int SERVICES_MAX = 1_000;
    private static final int RESTARTS_MAX = 10_000;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description = "Measure only this: seen, gone, renewals, following or restarts.")
    private @Nullable String only;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How many registrations 'seen' times, 1 to 10000. Default: 100, quick 10.")
    private @Nullable Integer rounds;

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "How many processes 'gone' kills, 1 to 1000. Default: 5, quick 1.")
    private @Nullable Integer runs;

    @Option(
            names = "--elections",
            paramLabel = "N",
            description = "How many elections 'renewals' holds, 1 to 100000. Default: 1,000, quick 10.")
    private @Nullable Integer elections;

    @Option(
            names = "--registrations",
            paramLabel = "N",
            description = "How many instances 'renewals' registers, 1 to 10000. Default: 100, quick 10.")
    private @Nullable Integer registrations;

    @Option(
            names = "--during",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long 'renewals' holds them: 60s, 10m. Default: two leases, quick one.")
    private @Nullable Duration during;

    @Option(
            names = "--services",
            paramLabel = "N",
            description = "How many services of 100 instances 'following' follows, 1 to 1000. Default: 10, quick 2.")
    private @Nullable Integer services;

    @Option(
            names = "--restarts",
            paramLabel = "N",
            description = "How many instances 'restarts' starts and ends, 2 to 10000. Default: 40, quick 4.")
    private @Nullable Integer restarts;

    @Option(
            names = "--tidied",
            description =
                    "Let 'restarts' wait until the records of dead instances are removed, where the store keeps them:"
                            + " 20 minutes, and 10 more for every further 100 instances that were killed.")
    private boolean tidied;

    RegistryBenchCommand(Console console, Map<String, String> environment) {
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
        requireUsed("--during", during != null, "renewals");
        requireUsed("--tidied", tidied, "restarts");
        return List.of(
                new SeenFigure(size("seen", "--rounds", rounds, 1, ROUNDS_MAX, 100, 10)),
                new GoneFigure(size("gone", "--runs", runs, 1, RUNS_MAX, 5, 1)),
                new RenewalFigure(
                        size("renewals", "--elections", elections, 1, IdleFigure.HELD_MAX, 1_000, 10),
                        size("renewals", "--registrations", registrations, 1, REGISTRATIONS_MAX, 100, 10),
                        during),
                new FollowingFigure(size("following", "--services", services, 1, SERVICES_MAX, 10, 2)),
                new RestartFigure(size("restarts", "--restarts", restarts, 2, RESTARTS_MAX, 40, 4), tidied));
    }
}
