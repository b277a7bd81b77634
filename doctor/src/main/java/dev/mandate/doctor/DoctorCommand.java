package dev.mandate.doctor;

import dev.mandate.Explanation;
import dev.mandate.Leader;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Json;
import dev.mandate.console.StoreAddress;
import dev.mandate.console.StoreArgument;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mandate doctor}: see its help. */
@Command(
        name = "doctor",
        header = "Check a store, and find out what is wrong with it.",
        description = {
            "",
            "Connects to the store at URL as an application would, with the settings in its parameters, and"
                    + " prints one line per finding: ok, warning or error. Does what leaders and followers do in a"
                    + " temporary election, and removes that election afterwards.",
            "",
            "If the URL's key names a single election, no record is written. If the store has no file, tables,"
                    + " bucket or container yet, that is an error; --create creates what is missing.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0  all is well",
            "  1  warnings: elections work, but not as well as they could",
            "  2  errors: elections do not work, or bad input"
        })
public final class DoctorCommand extends ConsoleCommand {
    private static final String PREFIX = "mandate-doctor-";

    @Mixin
    private StoreArgument store = new StoreArgument();

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            defaultValue = PREFIX,
            description = "How the name of the temporary election begins, where rights depend on names. Default:"
                    + " ${DEFAULT-VALUE}")
    private String prefix = PREFIX;

    @Option(
            names = "--create",
            description =
                    "First create what the store is missing (a file, tables, a bucket, a container), as a candidate"
                            + " would.")
    private boolean create;

    @Option(
            names = "--expiry",
            description = "Also let a lease run out, and measure how long the store takes to free it.")
    private boolean expiry;

    @Option(names = "--json", description = "Print one JSON object at the end.")
    private boolean json;

    private DoctorCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    /** Creates the command; it prints to {@code console}. */
    public static CommandLine line(Console console, Map<String, String> environment) {
        // It has three exit codes only, and a failure is more than a warning.
        return new CommandLine(new DoctorCommand(console, environment))
                .setExitCodeExceptionMapper(e -> ExitCode.ERRORS);
    }

    @Override
    public Integer call() throws InterruptedException {
        String scratch =
                prefix + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        ElectionNames.require("the name of the temporary election", scratch);
        StoreAddress address = create ? store.resolve(environment) : store.existing(environment);
        Diagnosis diagnosis = new Diagnosis(json ? finding -> {} : this::print);
        Optional<Explanation> explanation = new Examination(address, diagnosis, scratch, expiry).run();
        if (json) {
            print(address, diagnosis, explanation.orElse(null));
        } else {
            console.out().println(sum(diagnosis));
        }
        return switch (diagnosis.verdict()) {
            case OK -> ExitCode.OK;
            case WARNING -> ExitCode.WARNINGS;
            case ERROR -> ExitCode.ERRORS;
        };
    }

    private void print(Finding finding) {
        int style = switch (finding.severity()) {
            case OK -> 32;
            case WARNING -> 33;
            case ERROR -> 31;
        };
        String severity = String.format(Locale.ROOT, "%-7s", word(finding.severity()));
        String subject = String.format(Locale.ROOT, "%-12s", Leader.printable(finding.subject()));
        // Lines after the first are meant for copying: SQL statements, for instance.
        List<String> lines = finding.sentence().lines().map(Leader::printable).toList();
        console.out().println(console.styled(style, severity) + "  " + subject + "  " + lines.get(0));
        lines.stream().skip(1).forEach(line -> console.out().println("  " + line));
    }

    private static String word(Severity severity) {
        return severity.name().toLowerCase(Locale.ROOT);
    }

    private static String sum(Diagnosis diagnosis) {
        long errors = diagnosis.count(Severity.ERROR);
        long warnings = diagnosis.count(Severity.WARNING);
        return errors + warnings == 0
                ? "All is well."
                : errors
                        + (errors == 1 ? " error, " : " errors, ")
                        + warnings
                        + (warnings == 1 ? " warning." : " warnings.");
    }

    private void print(StoreAddress address, Diagnosis diagnosis, @Nullable Explanation explanation) {
        Json.print(console.out(), out -> {
            out.writeStringField("store", address.toString());
            out.writeStringField("verdict", word(diagnosis.verdict()));
            Json.array(out, "findings", diagnosis.findings(), (item, finding) -> {
                item.writeStringField("severity", word(finding.severity()));
                item.writeStringField("subject", finding.subject());
                item.writeStringField("sentence", finding.sentence());
            });
            if (explanation != null) {
                Json.seconds(out, "failoverAtMostSeconds", explanation.failoverAtMost());
                Json.seconds(out, "recoveryAtMostSeconds", explanation.recoveryAtMost());
                Json.seconds(out, "overlapAtMostSeconds", explanation.overlapAtMost());
            }
        });
    }
}
