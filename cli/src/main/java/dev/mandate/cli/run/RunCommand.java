package dev.mandate.cli.run;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import dev.mandate.cli.Elections;
import dev.mandate.cli.StoreOption;
import dev.mandate.console.CommonOptions;
import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
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
            "Campaigns in an election and starts the command after winning it. The command gets the"
                    + " environment of run, plus MANDATE_ELECTION, MANDATE_CANDIDATE and MANDATE_TOKEN. The token is"
                    + " larger in every later term: pass it to every resource that the command writes to. Other"
                    + " MANDATE_ variables are withheld, and so are those that may hold a store's credentials.",
            "",
            "When leadership is lost, the command and everything it started in its session get TERM, and KILL"
                    + " before anybody else can lead. This also holds when run itself is killed or frozen. Afterwards,"
                    + " and whenever the command ends, run campaigns again.",
            "",
            "INT, TERM, HUP, USR1, USR2, ALRM, WINCH and CONT are passed on to the command. After INT or"
                    + " TERM, run ends when the command has ended. A second INT or TERM gives the command only the"
                    + " drain budget, then kills it.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  that of the last command when run ends (128 + n: signal n ended it)",
            "  123  leadership was lost before the command ended, with --once, --wait or --no-wait",
            "  124  not elected in time, with --wait or --no-wait",
            "  125  run itself failed or was called incorrectly",
            "  126  the command cannot be executed",
            "  127  there is no such command",
            "  128 + n if signal n arrived before any command was started"
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
            completionCandidates = Elections.class,
            required = true,
            description = "The election to campaign in; at most one process leads it.")
    private String election = "";

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--value",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "What to publish while leading, for instance an address. Default: nothing")
    private String value = "";

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a term lasts without renewal: 500ms, 10s, 2m. Default: the URL's lease, else 10s")
    private @Nullable Duration lease;

    @Option(
            names = "--candidate",
            paramLabel = "ID",
            description = "A name for this candidate, for people. Default: host name and process id")
    private @Nullable String candidate;

    @Option(names = "--once", description = "Exit after the first term: when the command ends or leadership is lost.")
    private boolean once;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Like --once, but give up if not elected within TIME.")
    private @Nullable Duration patience;

    @Option(names = "--no-wait", description = "Like --once, but give up as soon as another leader is seen.")
    private boolean impatient;

    @Option(
            names = "--check",
            paramLabel = "SCRIPT",
            description = "A shell command that ends with 0 if the command is well. Two failures in a row end the lead:"
                    + " the command gets TERM.")
    private @Nullable String check;

    @Mixin
    private CheckOptions checks = new CheckOptions();

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
                    "Leave this variable in the command's environment, even if it may hold a store's credentials. May"
                            + " be given several times.")
    private List<String> kept = List.of();

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only errors.")
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
        checks.requireFit(check);
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
            status.note("campaigning in '" + election + "' as '" + client.candidate() + "' (" + address + ")");
            stand(client, task, options(client, supervision.hidden(), status), status);
            return task.exitCode();
        }
    }

    private RunOptions options(ElectionClient client, Predicate<String> hidden, Status status) {
        RunOptions again = RunOptions.DEFAULTS.withCampaignAgain();
        if (check == null) {
            return again;
        }
        Duration atMost = checks.atMost();
        Map<String, String> variables = Map.of("MANDATE_ELECTION", election, "MANDATE_CANDIDATE", client.candidate());
        HealthCommand health = new HealthCommand(check, variables, hidden, atMost);
        // The command keeps its own time: one check that takes too long is one failure, not the end of the term.
        return again.withHealthCheck(new RepeatedFailure(health, status), checks.every(), atMost.plus(RESERVE));
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
                if (standing.status().state() == CandidacyStatus.State.FOLLOWING) {
                    task.giveUp();
                }
            });
        });
    }
}
