package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.Leader;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Json;
import dev.mandate.console.StoreArgument;
import dev.mandate.internal.Setting;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mandate explain}: see its help. */
@Command(
        name = "explain",
        header = "Show what a store and its settings promise.",
        description = {
            "",
            "Computes for the store at URL, with the settings in its parameters, how long a take-over takes"
                    + " after a leader crashes, how long two may lead after a forced eviction, and what is assumed of"
                    + " the store and the clocks. The store must be reachable.",
            "",
            "For instance: mandate explain 'sqlite:/tmp/try.db?lease=3s&drainTimeout=200ms'",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {"  0 done, 2 bad input, 3 the store did not answer, 4 it has to be set up"})
final class ExplainCommand extends ConsoleCommand {
    @Mixin
    private StoreArgument store = new StoreArgument();

    @Option(names = "--settings", description = "Also show every setting in force.")
    private boolean settings;

    @Option(names = "--json", description = "Print one JSON object, with all settings.")
    private boolean json;

    ExplainCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() {
        try (ElectionClient client = store.existing(environment).client().connect()) {
            Explanation explanation = client.explain();
            if (json) {
                print(explanation);
            } else {
                console.out().print(explanation.inWords());
                if (settings) {
                    print(explanation.settings());
                }
            }
            return ExitCode.OK;
        }
    }

    /** The common ones first. */
    private void print(Map<String, String> settings) {
        boolean isAdvanced = false;
        for (Map.Entry<String, String> each : settings.entrySet()) {
            String name = each.getKey();
            if (!isAdvanced && Setting.named(name).map(Setting::isAdvanced).orElse(true)) {
                isAdvanced = true;
                console.out().println("Advanced:");
            }
            console.out().printf(Locale.ROOT, "%-20s %s%n", name, words(name, each.getValue()));
        }
    }

    /** A setting's value for people. Programs get it as a URL would hold it. */
    private static String words(String name, String value) {
        if (name.equals("candidate")) {
            return Leader.printable(value);
        }
        Optional<Duration> duration = Durations.setting(value);
        if (name.equals("settleTime") && duration.filter(Duration::isZero).isPresent()) {
            return "the longer of the lease and that of the other program's record";
        }
        return duration.map(Durations::words).orElse(value);
    }

    private void print(Explanation e) {
        Json.print(console.out(), out -> {
            out.writeStringField("store", e.store());
            out.writeStringField("guarantee", e.guarantee().name().toLowerCase(Locale.ROOT));
            Json.seconds(out, "leaseSeconds", e.lease());
            Json.seconds(out, "believedForSeconds", e.believedFor());
            Json.seconds(out, "failoverAtMostSeconds", e.failoverAtMost());
            Json.seconds(out, "recoveryAtMostSeconds", e.recoveryAtMost());
            Json.seconds(out, "overlapAtMostSeconds", e.overlapAtMost());
            Json.seconds(out, "drainBudgetSeconds", e.drainBudget());
            Json.seconds(out, "coldStartWaitSeconds", e.coldStartWait());
            if (!e.first().isEmpty()) {
                out.writeStringField("triesFirst", e.first());
                Json.seconds(out, "turnAtMostSeconds", e.turnAtMost());
            }
            Json.object(out, "settings", s -> {
                for (Map.Entry<String, String> setting : e.settings().entrySet()) {
                    s.writeStringField(setting.getKey(), setting.getValue());
                }
            });
            out.writeArrayFieldStart("assumptions");
            for (String assumption : e.assumptions()) {
                out.writeString(assumption);
            }
            out.writeEndArray();
        });
    }
}
