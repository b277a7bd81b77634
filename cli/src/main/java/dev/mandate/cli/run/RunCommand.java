package dev.mandate.cli.run;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import dev.mandate.Standing;
import dev.mandate.cli.CommonOptions;
import dev.mandate.cli.Console;
import dev.mandate.cli.Durations;
import dev.mandate.cli.ElectionNames;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.cli.StoreAddress;
import dev.mandate.cli.StoreOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
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
        customSynopsis = "mandate run --election=NAME [OPTION...] [--] COMMAND [ARG...]",
        description = {
            "",
            "Stands in an election, and starts the command when it has won. Its environment tells the command which"
                    + " election (MANDATE_ELECTION), under which number (MANDATE_TOKEN: larger in every later term; hand it to"
                    + " whatever the command writes to) and as who (MANDATE_CANDIDATE). All other MANDATE_ variables are taken"
                    + " out of it, and those that may hold a store's credentials.",
            "",
            "When the lead is lost the command, and all it started in its session, gets TERM, and KILL before anybody else"
                    + " can lead; also when this process is killed or frozen. Then, and when the command ends, it stands again.",
            "",
            "INT, TERM, HUP, USR1, USR2, ALRM, WINCH and CONT are passed on to the command. INT and TERM end run when the"
                    + " command has ended; a second one gives the command the drain budget before it is killed.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  that of the last command when run ends (128 + n: ended by signal n)",
            "  123  the lead was lost before the command had ended, with --once, --wait or --no-wait",
            "  124  not elected in time, with --wait or --no-wait",
            "  125  run itself failed, or was called wrongly",
            "  126  the command cannot be executed",
            "  127  there is no such command",
            "  128 + n where signal n came before any command was started"
        },
        exitCodeOnInvalidInput = ExitCode.RUN_FAILED,
        exitCodeOnExecutionException = ExitCode.RUN_FAILED)
public final class RunCommand implements Callable<Integer> {
    /** A check that does not even end when it is killed ends the term. */
    private static final Duration RESERVE = Duration.ofSeconds(5);

    private final Console console;
    private final Map<String, String> environment;
    private final Terminal terminal = new Terminal();

    @Option(
            names = "--election",
            paramLabel = "NAME",
            required = true,
            description = "The election to stand in; at most one process leads it.")
    private String election = "";

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
            names = "--wait",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Like --once, but give up if not elected within TIME.")
    private @Nullable Duration patience;

    @Option(names = "--no-wait", description = "Like --once, but give up as soon as another one is seen to lead.")
    private boolean impatient;

    @Option(
            names = "--check",
            paramLabel = "SCRIPT",
            description = "A shell command that ends with 0 if the command is well. Two failures in a row end the lead:"
                    + " the command gets TERM.")
    private @Nullable String check;

    @Option(
            names = "--every",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "5s",
            description = "How long after a result the check runs again. Default: ${DEFAULT-VALUE}")
    private Duration every = Duration.ofSeconds(5);

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long the check may take. Default: as --every")
    private @Nullable Duration timeout;

    @Option(
            names = "--stop-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "After INT or TERM, kill the command if it has not ended within TIME. Default: never")
    private @Nullable Duration stopTimeout;

    @Option(
            names = "--keep-env",
            paramLabel = "NAME",
            description =
                    "Leave this variable in the command's environment though it may hold a store's credentials. May be"
                            + " given several times.")
    private List<String> kept = List.of();

    @Option(
            names = {"-q", "--quiet"},
            description = "Say nothing but errors.")
    private boolean quiet;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(arity = "1..*", paramLabel = "COMMAND", hidden = true)
    private List<String> command = List.of();

    /** Creates the command; it prints to {@code console}. */
    public RunCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException {
        ElectionNames.require("the election name", election);
        if (impatient && patience != null) {
            throw new Failure(ExitCode.RUN_FAILED, "--wait and --no-wait are both given; give one of them");
        }
        requireCheck();
        StoreAddress address = store.resolve(environment);
        Supervision supervision = new Supervision("run", environment, address, kept);
        supervision.require(command);
        try (Status status = new Status(console, election, quiet);
                ElectionClient client = Connecting.connect(address, lease, candidate, status)) {
            Explanation bounds = client.explain();
            status.lease(bounds.lease());
            CommandTask task = new CommandTask(
                    command,
                    client.candidate(),
                    supervision.hidden(),
                    bounds.lease(),
                    bounds.drainBudget().multipliedBy(3).dividedBy(4),
                    once || isBounded(),
                    stopTimeout,
                    status);
            Signals.handle(name -> task.signalled(name, Signals.ends(name) || name.equals("HUP") && terminal.isGone()));
            supervision.tell(status);
            status.note("standing in '" + election + "' as '" + client.candidate() + "' (" + address + ")");
            stand(client, task, options(client, supervision.hidden(), status), status);
            return task.exitCode();
        }
    }

    private void requireCheck() {
        if (check == null && timeout != null) {
            throw new Failure(ExitCode.RUN_FAILED, "--timeout is given without --check; give both, or neither");
        }
        if (every.isZero() || timeout != null && timeout.isZero()) {
            throw new Failure(
                    ExitCode.RUN_FAILED, (every.isZero() ? "--every" : "--timeout") + " is 0 s; give more than that");
        }
    }

    private RunOptions options(ElectionClient client, Predicate<String> hidden, Status status) {
        RunOptions again = RunOptions.DEFAULTS.withStandAgain();
        if (check == null) {
            return again;
        }
        Duration atMost = timeout == null ? every : timeout;
        Map<String, String> variables = Map.of("MANDATE_ELECTION", election, "MANDATE_CANDIDATE", client.candidate());
        HealthCommand health = new HealthCommand(check, variables, hidden, atMost);
        // The command keeps its own time: one check that takes too long is one failure, not the end of the term.
        return again.withHealthCheck(new RepeatedFailure(health, status), every, atMost.plus(RESERVE));
    }

    /** Whether the wait for the first term is limited. */
    private boolean isBounded() {
        return impatient || patience != null;
    }

    private void stand(ElectionClient client, CommandTask task, RunOptions options, Status status)
            throws InterruptedException {
        Election standing = client.election(election);
        try (Observing observing = standing.observe(view -> {
            status.view(view, standing, client.candidate());
            if (impatient) {
                giveUpIfLed(view, standing, client.candidate(), task);
            }
        })) {
            // The caller closes the client, which withdraws.
            standing.runWhileLeader(value, options, task);
            Duration atMost = impatient ? client.explain().lease() : patience;
            if (atMost != null && !task.awaitBegin(atMost) && task.giveUp()) {
                status.note("not elected within " + Durations.words(atMost));
            }
            task.awaitEnd();
        }
    }

    /** Gives up if another candidate leads. */
    private static void giveUpIfLed(LeaderView view, Election standing, String self, CommandTask task) {
        view.leader().ifPresent(leader -> {
            if (!leader.candidate().equals(self)) {
                task.giveUp();
                return;
            }
            // It may be this candidate, whose term begins with the answer, or another one with the same id.
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> {
                if (standing.standing().state() == Standing.State.FOLLOWING) {
                    task.giveUp();
                }
            });
        });
    }
}
