package dev.mandate.cli.run;

import dev.mandate.ElectionClient;
import dev.mandate.cli.Metadata;
import dev.mandate.cli.StatusWord;
import dev.mandate.cli.StoreOption;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mandate register}: see its help. */
@Command(
        name = "register",
        header = "Keep an instance of a service registered while a command runs.",
        synopsisHeading = "Usage: ",
        customSynopsis = "mandate register [OPTION...] SERVICE [-- COMMAND [ARG...]]",
        description = {
            "",
            "Registers an instance of SERVICE and keeps it registered until COMMAND ends or, without a"
                    + " command, until INT, TERM or HUP. Then it removes the instance at once. If this process is"
                    + " killed, the instance disappears when its lease expires. After an outage, or if somebody deletes"
                    + " the registration, it registers again. On NATS and Azure Blob the lease is the URL's"
                    + " registrationLease, by default the longer of --lease and 30s.",
            "",
            "COMMAND runs whether or not the instance is registered. It gets MANDATE_SERVICE,"
                    + " MANDATE_INSTANCE (the id) and MANDATE_ADDRESS. Other MANDATE_ variables are withheld, and so"
                    + " are those that may hold a store's credentials. Signals are passed on; on INT and TERM the"
                    + " instance is removed first. If this process is killed, COMMAND gets TERM, and KILL two seconds"
                    + " later.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  that of COMMAND (128 + n: signal n ended it)",
            "  125  register itself failed or was called incorrectly",
            "  126  the command cannot be executed",
            "  127  there is no such command",
            "  128 + n if signal n ended register without a command"
        },
        exitCodeOnInvalidInput = ExitCode.RUN_FAILED,
        exitCodeOnExecutionException = ExitCode.RUN_FAILED)
public final class RegisterCommand extends ConsoleCommand {
    /** How often we look whether the instance is registered. */
    private static final Duration LOOK = Duration.ofMillis(100);

    /** From TERM to KILL, if this process was killed or a second signal came. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    /** Used as a term's lease: a share of it is how often we look whether the command has ended. */
    private static final Duration TICKS = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "SERVICE", description = "The service.")
    private String service = "";

    @Parameters(
            index = "1..*",
            paramLabel = "COMMAND",
            description = "The command to run while the instance is registered.")
    private List<String> command = List.of();

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--id",
            paramLabel = "ID",
            description =
                    "Identifies the instance within its service; one process holds it at a time. Default: a random"
                            + " one")
    private @Nullable String id;

    @Option(
            names = "--address",
            paramLabel = "ADDRESS",
            description =
                    "Where callers reach the instance: 10.0.0.7:8080, a URL. Required, unless --no-address is given")
    private @Nullable String address;

    @Option(names = "--no-address", description = "Nobody calls this instance; it registers only to be listed.")
    private boolean isNotCalled;

    @Option(
            names = "--metadata",
            paramLabel = "NAME=VALUE",
            description = "More information for callers. May be given several times.")
    private List<String> metadata = List.of();

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            converter = StatusWord.class,
            description = "STARTING, UP, DOWN or OUT_OF_SERVICE. Default: UP; with --check STARTING")
    private @Nullable Status status;

    @Option(
            names = "--check",
            paramLabel = "SCRIPT",
            description =
                    "A shell command that exits with 0 if the instance is healthy. Two equal results in a row set UP"
                            + " or DOWN.")
    private @Nullable String check;

    @Mixin
    private CheckOptions checks = new CheckOptions();

    @Option(names = "--json", description = "Print one JSON object per line for each change of the registration.")
    private boolean json;

    @Mixin
    private ProgramOptions program = new ProgramOptions();

    /** Creates the command; it prints to {@code console}. */
    public RegisterCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() throws InterruptedException {
        ElectionNames.require("the name of the service", service);
        requireDashes();
        ServiceInstance instance = instance();
        if (json && !command.isEmpty()) {
            throw new Failure(
                    ExitCode.RUN_FAILED,
                    "--json and a command are both given, and both write to standard output; give one of them");
        }
        StoreAddress where = store.resolve(environment);
        Supervision supervision = new Supervision("register", environment, where, program.kept());
        if (!command.isEmpty()) {
            supervision.require(command);
        }
        try (Messages messages = new Messages(console, program.quiet());
                ElectionClient client = program.connect(where, messages)) {
            CommandTask task = command.isEmpty() ? null : task(supervision, messages);
            RegisterEnding ending = new RegisterEnding(task);
            // Before anything is written: an ending signal finds nothing, or the registration to remove.
            ending.takeSignals();
            Registration registration = client.registry().register(service, instance);
            ending.removes(registration);
            messages.note("registering '" + service + "' as '" + registration.id() + "' (" + where + ")");
            HealthCommand health = startCheck(registration, supervision.hidden());
            RegistrationWatcher watcher =
                    new RegistrationWatcher(registration, health, messages, json ? console.out() : null);
            if (task != null) {
                supervision.tell(messages);
                run(task, variables(registration));
            }
            while (!ending.await(LOOK)) {
                watcher.look();
            }
            registration.close();
            return ending.exitCode();
        }
    }

    private CommandTask task(Supervision supervision, Messages messages) {
        return new CommandTask(command, "", supervision.hidden(), TICKS, GRACE, true, program.stopTimeout(), messages);
    }

    private static void run(CommandTask task, Map<String, String> variables) {
        Thread work = new Thread(() -> task.run(Span.endless(variables)), "mandate-command");
        // The supervisor ends the command when this process ends.
        work.setDaemon(true);
        work.start();
    }

    /** Requires {@code --} before the command: else it is unclear whose an option after the service is. */
    private void requireDashes() {
        List<String> all = spec.commandLine().getParseResult().originalArgs();
        int dashes = all.indexOf("--");
        if (!command.isEmpty() && (dashes < 0 || all.size() - dashes - 1 != command.size())) {
            throw new Failure(
                    ExitCode.RUN_FAILED,
                    "it is not clear where the command begins; write -- between the service and the command");
        }
    }

    private ServiceInstance instance() {
        requireAddress();
        if (id != null) {
            ElectionNames.require("the id", id);
        }
        checks.requireFit(check);
        Status first = status != null ? status : check == null ? Status.UP : Status.STARTING;
        ServiceInstance instance = new ServiceInstance(
                id == null ? "" : id, address == null ? "" : address, Metadata.parse(metadata), first);
        // Checked before the store is opened; registering would refuse it, too.
        if (instance.bytes() > ServiceInstance.BYTES_MAX) {
            throw new Failure(
                    ExitCode.RUN_FAILED,
                    "--address and --metadata take " + instance.bytes() + " bytes as JSON; the limit is "
                            + ServiceInstance.BYTES_MAX + ", so shorten them");
        }
        return instance;
    }

    /** Requires an address or {@code --no-address}: an instance that callers pick but can't call is worse than none. */
    private void requireAddress() {
        if (address != null && isNotCalled) {
            throw new Failure(ExitCode.RUN_FAILED, "--address and --no-address are both given; give one of them");
        }
        if (address == null && !isNotCalled || address != null && address.isEmpty()) {
            throw new Failure(
                    ExitCode.RUN_FAILED,
                    "--address is " + (address == null ? "missing" : "empty")
                            + "; give the address where callers reach this instance, or --no-address if nobody calls it");
        }
    }

    private Map<String, String> variables(Registration registration) {
        return new TreeMap<>(Map.of(
                "MANDATE_SERVICE",
                service,
                "MANDATE_INSTANCE",
                registration.id(),
                "MANDATE_ADDRESS",
                address == null ? "" : address));
    }

    private @Nullable HealthCommand startCheck(Registration registration, Predicate<String> hidden) {
        if (check == null) {
            return null;
        }
        Duration atMost = checks.atMost();
        HealthCommand health = new HealthCommand(check, variables(registration), hidden, atMost);
        registration.healthCheck(health, checks.every(), atMost);
        return health;
    }
}
