package dev.mandate.bench;

import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreArgument;
import dev.mandate.demo.ScratchGroup;
import dev.mandate.demo.ScratchStore;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What {@code bench} and the commands below it share: they measure a store or a running group. */
@Command(
        footerHeading = "%nExit code:%n",
        footer = {"  0 measured, whatever the results, 2 bad input, 3 the store did not answer, 4 it has to be set up"})
abstract class StoreBench extends ConsoleCommand {
    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private StoreArgument store = new StoreArgument();

    @Option(names = "--quick", description = "Smaller sizes, unless given.")
    private boolean quick;

    @Option(names = "--json", description = "Print one JSON object instead of a table.")
    private boolean json;

    StoreBench(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    /** The name of the only figure wanted; null for all. */
    abstract @Nullable String only();

    /**
     * All figures of this command, in the order in which they are measured.
     *
     * @throws Failure if an option is out of bounds
     */
    abstract List<Measurement> all();

    /** The size that is given, else the usual one. Refuses one out of bounds, or of a figure that is not measured. */
    final int size(
            String figure, String option, @Nullable Integer given, int least, int most, int usual, int whenQuick) {
        requireUsed(option, given != null, figure);
        return BenchRun.within(option, given, least, most, quick ? whenQuick : usual);
    }

    /** Refuses an option of a figure that {@code --only} excludes. */
    final void requireUsed(String option, boolean isGiven, String figure) {
        if (isGiven && only() != null && !figure.equals(only())) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    option + " is an option of '" + figure + "', but --only is '" + only()
                            + "'; leave it out, or give --only " + figure);
        }
    }

    final boolean isQuick() {
        return quick;
    }

    /** Refuses arguments in front of this command's name, where they would be ignored. */
    private void requireNothingBefore() {
        CommandLine parent = spec == null ? null : spec.commandLine().getParent();
        if (spec != null
                && parent != null
                && parent.getCommandSpec().userObject() instanceof StoreBench
                && !parent.getParseResult().matchedArgs().isEmpty()) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "arguments before '" + spec.name() + "' have no effect; write URL and options after it");
        }
    }

    @Override
    public final Integer call() throws InterruptedException {
        requireNothingBefore();
        List<Measurement> wanted = BenchRun.only(only(), all());
        String given = store.url();
        if (given != null && ScratchGroup.isWanted(given)) {
            return measureNewGroup(given, wanted);
        }
        try (ScratchStore scratch = ScratchStore.unless(given, environment)) {
            return measure(Target.of(scratch.address().requireManyProcesses(), quick), wanted);
        }
    }

    /** Measures a group that {@code url} asks to start. Refused here. */
    int measureNewGroup(String url, List<Measurement> wanted) throws InterruptedException {
        throw new Failure(
                ExitCode.BAD_INPUT,
                "'" + url + "' starts a new group, which this command cannot measure; give the URL of a store, or of a"
                        + " running group");
    }

    /** Measures and prints; returns the exit code. */
    final int measure(Target target, List<Measurement> wanted) throws InterruptedException {
        return BenchRun.measure(console, json, target, wanted);
    }
}
