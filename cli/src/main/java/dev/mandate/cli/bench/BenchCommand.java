package dev.mandate.cli.bench;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mandate.cli.CommonOptions;
import dev.mandate.cli.Console;
import dev.mandate.cli.Durations;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.cli.Json;
import dev.mandate.cli.Log;
import dev.mandate.cli.StoreArgument;
import dev.mandate.cli.demo.ScratchGroup;
import dev.mandate.cli.demo.ScratchStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mandate bench}: see its help. */
@Command(
        name = "bench",
        header = "Measure what elections cost in a store.",
        description = {
            "",
            "Measures hand-overs after a resignation, acquisitions per second, how soon a leader notices that its record"
                    + " was removed, what holding many elections costs while nothing happens, and take-overs after SIGKILL. Where the store alone has a price for the same, that is"
                    + " measured in the same run and shown beside it as the floor.",
            "",
            "With bully, ring or peers alone as the URL, it measures a group of five of its own on this machine, with a"
                    + " lease of 3 s unless parameters say otherwise: mandate bench 'bully?lease=10s'.",
            "",
            "Leaves the records of some ten thousand elections behind: give it a store that may be thrown away. Takes some"
                    + " minutes, --quick one or two; more where leases are long or answers slow.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {"  0 measured, whatever came out, 2 bad input, 3 the store did not answer, 4 it has to be set up"})
public final class BenchCommand implements Callable<Integer> {
    private static final int RUNS_MAX = 1_000;
    /** Of a group of our own. */
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
            description = "For how long 'idle' holds them: 60s, 10m. Default: six leases, quick one.")
    private @Nullable Duration during;

    @Option(names = "--json", description = "One JSON object instead of a table.")
    private boolean json;

    @Mixin
    private CommonOptions common = new CommonOptions();

    /** A command that has not run. */
    public BenchCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    private void requireInBounds() {
        if (runs != null && (runs < 1 || runs > RUNS_MAX)) {
            throw new Failure(ExitCode.BAD_INPUT, "--runs is " + runs + "; give 1 to " + RUNS_MAX);
        }
        if (held != null && (held < 1 || held > IdleFigure.HELD_MAX)) {
            throw new Failure(ExitCode.BAD_INPUT, "--held is " + held + "; give 1 to " + IdleFigure.HELD_MAX);
        }
        if (during != null
                && (during.compareTo(IdleFigure.DURING_MIN) < 0 || during.compareTo(IdleFigure.DURING_MAX) > 0)) {
            throw new Failure(ExitCode.BAD_INPUT, "--during is " + Durations.words(during) + "; give 1s to 24h");
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        requireInBounds();
        int takeOvers = runs != null ? runs : quick ? RUNS_QUICK : RUNS;
        List<Measurement> all = List.of(
                new HandOverFigure(),
                new AcquisitionFigure(),
                new LossFigure(),
                new IdleFigure(held, during),
                new TakeOverFigure(takeOvers));
        List<Measurement> wanted =
                all.stream().filter(m -> only == null || m.name().equals(only)).toList();
        if (wanted.isEmpty()) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "--only is '" + only + "'; give one of "
                            + String.join(
                                    ", ", all.stream().map(Measurement::name).toList()));
        }
        if ((held != null || during != null) && wanted.stream().noneMatch(m -> m instanceof IdleFigure)) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "--held and --during say what 'idle' does, and --only is '" + only
                            + "'; leave them out, or give --only idle");
        }
        String given = store.url();
        if (given != null && ScratchGroup.isWanted(given)) {
            Log.showErrorsOnly();
            try (ScratchGroup group = ScratchGroup.of(withLease(given), MEMBERS)) {
                return measure(Target.of(group, quick), wanted);
            }
        }
        try (ScratchStore scratch = ScratchStore.unless(given, environment)) {
            return measure(Target.of(scratch.address().requireManyProcesses(), quick), wanted);
        }
    }

    private int measure(Target target, List<Measurement> wanted) throws InterruptedException {
        List<Figure> figures = new ArrayList<>();
        for (Measurement measurement : wanted) {
            figures.addAll(measurement.measure(target, console::say));
        }
        if (json) {
            print(target, figures);
        } else {
            table(target, figures);
        }
        return ExitCode.OK;
    }

    private static String withLease(String group) {
        boolean isGiven = group.matches(".*[?&]lease=.*");
        return isGiven ? group : group + (group.contains("?") ? "&" : "?") + "lease=" + LEASE;
    }

    private void table(Target target, List<Figure> figures) {
        console.out()
                .println("Store " + target.explanation().store() + ", lease "
                        + Durations.words(target.explanation().lease()) + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors");
        line("", "measured", "floor", "bound", "", "");
        for (Figure f : figures) {
            line(f.name(), number(f.value()), number(f.floor()), number(f.bound()), f.unit(), f.note());
        }
    }

    private void line(Object... cells) {
        console.out()
                .println(String.format(Locale.ROOT, "%-24s %10s %10s %10s  %-10s  %s", cells)
                        .stripTrailing());
    }

    private static String number(@Nullable Double value) {
        if (value == null) {
            return "";
        }
        return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.2f" : "%,.0f", value);
    }

    private void print(Target target, List<Figure> figures) {
        Json.print(console.out(), out -> {
            out.writeStringField("store", target.explanation().store());
            Json.seconds(out, "leaseSeconds", target.explanation().lease());
            out.writeNumberField("processors", Runtime.getRuntime().availableProcessors());
            Json.array(out, "figures", figures, BenchCommand::print);
        });
    }

    private static void print(JsonGenerator item, Figure f) throws IOException {
        item.writeStringField("name", f.name());
        item.writeNumberField("value", f.value());
        item.writeStringField("unit", f.unit());
        if (f.floor() != null) {
            item.writeNumberField("floor", f.floor());
        }
        if (f.bound() != null) {
            item.writeNumberField("bound", f.bound());
        }
        if (!f.note().isEmpty()) {
            item.writeStringField("note", f.note());
        }
    }
}
