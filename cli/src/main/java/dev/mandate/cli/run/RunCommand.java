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
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
public final class RunCommand extends ConsoleCommand {
    /** A check that does not even end when it is killed ends the term. */
    private static final Duration RESERVE = Duration.ofSeconds(5);

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
            description = "A shell command that exits with 0 if the command is healthy. Two failures in a row end"
                    + " leadership: the command gets TERM.")
    private @Nullable String check;

    @Mixin
    private CheckOptions checks = new CheckOptions();

    @Mixin
    private ProgramOptions program = new ProgramOptions();

    @Parameters(arity = "1..*", paramLabel = "COMMAND", hidden = true)
    private List<String> command = List.of();

    /** Creates the command; it prints to {@code console}. */
    public RunCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() throws InterruptedException {
        ElectionNames.require("the election name", election);
        if (impatient && patience != null) {
            throw new Failure(ExitCode.RUN_FAILED, "--wait and --no-wait are both given; give one of them");
        }
        checks.requireFit(check);
        StoreAddress address = store.resolve(environment);
        Supervision supervision = new Supervision("run", environment, address, program.kept());
        supervision.require(command);
        try (RunStatus status = new RunStatus(console, election, program.quiet());
                ElectionClient client = program.connect(address, status)) {
            Explanation bounds = client.explain();
            status.lease(bounds.lease());
            CommandTask task = new CommandTask(
                    command,
                    client.candidate(),
                    supervision.hidden(),
                    bounds.lease(),
                    bounds.drainBudget().multipliedBy(3).dividedBy(4),
                    once || isBounded(),
                    program.stopTimeout(),
                    status);
            Signals.handle(name -> task.signalled(name, Signals.ends(name) || name.equals("HUP") && terminal.isGone()));
            supervision.tell(status);
            status.note("campaigning in '" + election + "' as '" + client.candidate() + "' (" + address + ")");
            campaign(client, task, options(client, supervision.hidden(), status), status);
            return task.exitCode();
        }
    }

    private RunOptions options(ElectionClient client, Predicate<String> hidden, RunStatus status) {
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

    private void campaign(ElectionClient client, CommandTask task, RunOptions options, RunStatus status)
            throws InterruptedException {
        Election own = client.election(election);
        try (Observing observing = own.observe(view -> {
            status.view(view, own, client.candidate());
            if (impatient) {
                giveUpIfLed(view, own, client.candidate(), task);
            }
        })) {
            // The caller closes the client, which withdraws.
            own.runWhileLeader(value, options, task);
            Duration atMost = impatient ? client.explain().lease() : patience;
            if (atMost != null && !task.awaitBegin(atMost) && task.giveUp()) {
                status.note("not elected within " + Durations.words(atMost));
            }
            task.awaitEnd();
        }
    }

    /** Gives up if another candidate leads. */
    private static void giveUpIfLed(LeaderView view, Election own, String self, CommandTask task) {
        view.leader().ifPresent(leader -> {
            if (!leader.candidate().equals(self)) {
                task.giveUp();
                return;
            }
            // It may be this candidate, whose term begins with the answer, or another one with the same id.
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> {
                if (own.status().state() == CandidacyStatus.State.FOLLOWING) {
                    task.giveUp();
                }
            });
        });
    }
}
