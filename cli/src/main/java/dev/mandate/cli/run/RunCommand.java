package dev.mandate.cli.run;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import dev.mandate.cli.CommonOptions;
import dev.mandate.cli.Console;
import dev.mandate.cli.Durations;
import dev.mandate.cli.ElectionNames;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.cli.StoreAddress;
import dev.mandate.cli.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate run}: see its help. */
@Command(
        name = "run",
        header = "Run a command while, and only while, this process leads.",
        synopsisHeading = "Usage: ",
        customSynopsis = "mandate run [--election=NAME] [--lease=TIME] [OPTION...] [--] COMMAND [ARG...]",
        description = {
            "",
            "Stands in an election, and starts the command when it has won. Its environment tells the command which"
                    + " election (MANDATE_ELECTION), under which number (MANDATE_TOKEN: larger in every later term; hand it to"
                    + " whatever the command writes to) and as who (MANDATE_CANDIDATE). All other MANDATE_ variables are taken"
                    + " out of it.",
            "",
            "When the lead is lost the command, and all it started in its session, gets TERM, and KILL before anybody else"
                    + " can lead; also when this process is killed or frozen. Then, and when the command ends, it stands again.",
            "",
            "INT, TERM and HUP are passed on to the command. INT and TERM end run when the command has ended; a second one"
                    + " gives the command the drain budget before it is killed.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  that of the last command when run ends (128 + n: ended by signal n)",
            "  125  run itself failed, or was called wrongly",
            "  126  the command cannot be executed",
            "  127  there is no such command",
            "  128 + n where signal n came before any command was started"
        },
        exitCodeOnInvalidInput = ExitCode.RUN_FAILED,
        exitCodeOnExecutionException = ExitCode.RUN_FAILED)
public final class RunCommand implements Callable<Integer> {
    private static final String DEFAULT_ELECTION = "default";

    private final Console console;
    private final Map<String, String> environment;

    @Option(
            names = "--election",
            paramLabel = "NAME",
            defaultValue = DEFAULT_ELECTION,
            description = "The election to stand in; at most one process leads it. Default: ${DEFAULT-VALUE}")
    private String election = DEFAULT_ELECTION;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--value",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "What to publish while leading, an address for instance. Default: nothing")
    private String value = "";

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a lead lives without renewal: 500ms, 10s, 2m. Default: the URL's lease, else 10s")
    private @Nullable Duration lease;

    @Option(
            names = "--candidate",
            paramLabel = "ID",
            description = "Who stands, for people. Default: host name and process id")
    private @Nullable String candidate;

    @Option(names = "--once", description = "End after the first term, whether the command ended or the lead was lost.")
    private boolean once;

    @Option(
            names = {"-q", "--quiet"},
            description = "Say nothing but errors.")
    private boolean quiet;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(arity = "1..*", paramLabel = "COMMAND", hidden = true)
    private List<String> command = List.of();

    /** A command that says what it has to say to {@code console}. */
    public RunCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        ElectionNames.require("the election name", election);
        StoreAddress address = store.resolve(environment);
        requireTools();
        try (Status status = new Status(console, election, quiet);
                ElectionClient client = connect(address)) {
            Explanation bounds = client.explain();
            CommandTask task = new CommandTask(
                    command,
                    client.candidate(),
                    address::isOwnVariable,
                    bounds.lease(),
                    bounds.drainBudget().multipliedBy(3).dividedBy(4),
                    once,
                    status);
            Signals.handle(name -> task.signalled(name, !name.equals("HUP") || isTerminalGone()));
            status.note("standing in '" + election + "' as '" + client.candidate() + "' (" + address + ")");
            stand(client, task, status);
            return task.exitCode();
        }
    }

    private ElectionClient connect(StoreAddress address) {
        ElectionClient.Builder builder = address.client();
        if (lease != null) {
            builder.lease(lease);
        }
        if (candidate != null) {
            builder.candidate(candidate);
        }
        return builder.connect();
    }

    private void stand(ElectionClient client, CommandTask task, Status status) throws InterruptedException {
        Election standing = client.election(election);
        try (Observing observing = standing.observe(view -> status.view(view, standing, client.candidate()))) {
            // The client, closed by the caller, withdraws.
            standing.runWhileLeader(value, RunOptions.DEFAULTS.withStandAgain(), task);
            task.awaitEnd();
        }
    }

    /** Everything that could keep a command from being started or killed, before anybody campaigns. */
    private void requireTools() {
        CommandLookup lookup = new CommandLookup(environment.getOrDefault("PATH", ""));
        lookup.require(command.get(0));
        for (String tool : List.of("setsid", "bash", "mkfifo")) {
            if (!lookup.finds(tool)) {
                throw new Failure(
                        ExitCode.RUN_FAILED,
                        "run needs " + tool + ", which is not on the PATH; install bash, util-linux and coreutils");
            }
        }
        try {
            Instants.now();
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.RUN_FAILED,
                    "run needs Linux: /proc/uptime, the time since boot with suspensions, cannot be read",
                    e);
        }
    }

    /** Whether the terminal this process was started from, if any, has been closed. */
    private boolean isTerminalGone() {
        return startedFromTerminal && !hasTerminal();
    }

    private final boolean startedFromTerminal = hasTerminal();

    private static boolean hasTerminal() {
        try {
            Files.newInputStream(Path.of("/dev/tty")).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
