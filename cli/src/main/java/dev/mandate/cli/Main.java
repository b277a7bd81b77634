package dev.mandate.cli;

import dev.mandate.console.Arguments;
import dev.mandate.console.Console;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Log;
import dev.mandate.console.SilentLibraries;
import dev.mandate.console.StoreAddress;
import dev.mandate.console.MandateCommand;
import dev.mandate.bench.ArrivalBenchCommand;
import dev.mandate.bench.BenchCommand;
import dev.mandate.bench.RegistryBenchCommand;
import dev.mandate.bench.ServeBenchCommand;
import dev.mandate.demo.DemoCommand;
import dev.mandate.doctor.DoctorCommand;
import dev.mandate.cli.run.RegisterCommand;
import dev.mandate.cli.run.RunCommand;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Starts the command line. */
public final class Main {
    private static final List<String> COMMANDS = List.of(
            "run",
            "register",
            "observe",
            "leader",
            "status",
            "services",
            "instances",
            "serve",
            "evict",
            "explain",
            "doctor",
            "demo",
            "bench");

    private final Console console;
    private final Map<String, String> environment;

    private Main(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    private CommandLine command(String name) {
        return switch (name) {
            // Everything after the name of the command to run belongs to that command.
            case "run" -> new CommandLine(new RunCommand(console, environment)).setStopAtPositional(true);
            case "register" -> new CommandLine(new RegisterCommand(console, environment));
            case "services" -> new CommandLine(new ServicesCommand(console, environment));
            case "instances" -> new CommandLine(new InstancesCommand(console, environment));
            case "serve" -> new CommandLine(new ServeCommand(console, environment));
            case "observe" -> new CommandLine(new ObserveCommand(console, environment));
            case "leader" -> new CommandLine(new LeaderCommand(console, environment));
            case "status" -> new CommandLine(new StatusCommand(console, environment));
            case "evict" -> new CommandLine(new EvictCommand(console, environment));
            case "doctor" -> new CommandLine(new DoctorCommand(console, environment));
            case "demo" -> new CommandLine(new DemoCommand(console, environment));
            case "bench" ->
                new CommandLine(new BenchCommand(console, environment))
                        .addSubcommand(new RegistryBenchCommand(console, environment))
                        .addSubcommand(new ArrivalBenchCommand(console, environment))
                        .addSubcommand(new ServeBenchCommand(console, environment));
            case "explain" -> new CommandLine(new ExplainCommand(console, environment));
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Runs the command that {@code args} name, and exits with its code. */
    public static void main(String[] args) {
        SilentLibraries.install();
        String[] exact = Arguments.exact(args);
        System.exit(execute(exact, Console.ofProcess(System.getenv()), System.getenv()));
    }

    /** Runs the command that {@code args} name; returns its exit code. */
    static int execute(String[] args, Console console, Map<String, String> environment) {
        int code = new Main(console, environment).execute(args);
        String lost = console.outFailure();
        if (lost == null) {
            return code;
        }
        console.say("standard output could not be written (" + lost + "); what was to be read there is lost");
        return code == ExitCode.OK ? ExitCode.UNEXPECTED : code;
    }

    private int execute(String[] given) {
        String[] args = given;
        if (args.length > 0 && args[0].equals("help")) {
            // As in many other tools; without a name, the list of commands.
            args = args.length == 1 ? new String[] {"--help"} : new String[] {args[1], "--help"};
        }
        if (args.length > 0 && !args[0].startsWith("-") && !COMMANDS.contains(args[0])) {
            console.say(withoutSecrets("there is no command '" + args[0] + "'", args) + "; the commands are "
                    + String.join(", ", COMMANDS));
            return ExitCode.BAD_INPUT;
        }
        // Builds only the command that is called, unless all are listed: each takes time to inspect.
        boolean isOne = args.length > 0 && COMMANDS.contains(args[0]);
        return commandLine(isOne ? List.of(args[0]) : COMMANDS).execute(args);
    }

    /** All commands with their options, to compare with the documentation. */
    static CommandLine model() {
        return new Main(Console.to(OutputStream.nullOutputStream(), OutputStream.nullOutputStream()), Map.of())
                .commandLine(COMMANDS);
    }

    private CommandLine commandLine(List<String> names) {
        CommandLine line = new CommandLine(new MandateCommand());
        names.forEach(name -> line.addSubcommand(name, command(name)));
        return line.setExpandAtFiles(false)
                .setColorScheme(Help.defaultColorScheme(console.outColoured() ? Help.Ansi.ON : Help.Ansi.OFF))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setExecutionStrategy(Main::run)
                .setParameterExceptionHandler(this::wronglyCalled)
                .setExecutionExceptionHandler(this::failed);
    }

    private static int run(CommandLine.ParseResult parsed) {
        if (wantsTraces(parsed)) {
            System.setProperty(Log.PROPERTY, "DEBUG");
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    /** Whether our own {@code --debug} was given: a command that {@code run} starts may have one, too. */
    private static boolean wantsTraces(CommandLine.ParseResult parsed) {
        return parsed.hasMatchedOption("--debug") || parsed.hasSubcommand() && wantsTraces(parsed.subcommand());
    }

    /** {@code text}, which may quote arguments, without the secrets of store URLs among them. */
    private static String withoutSecrets(String text, String[] args) {
        String clean = text;
        for (String arg : args) {
            String url = arg.startsWith("-") ? arg.substring(arg.indexOf('=') + 1) : arg;
            if (url.contains(":")) {
                clean = clean.replace(url, StoreAddress.masked(url));
            }
        }
        return clean;
    }

    private int wronglyCalled(ParameterException e, String[] args) {
        CommandLine called = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            console.say(withoutSecrets(
                            "one argument too many: '"
                                    + unmatched.getUnmatched().get(0) + "'",
                            args)
                    + " (see " + called.getCommandSpec().qualifiedName() + " --help)");
            return called.getCommandSpec().exitCodeOnInvalidInput();
        }
        String said = String.valueOf(e.getMessage())
                .lines()
                .reduce((a, b) -> a + "; " + b)
                .orElse("")
                .replace("is not an int", "is not a whole number");
        String lower = said.isEmpty() ? said : Character.toLowerCase(said.charAt(0)) + said.substring(1);
        console.say(withoutSecrets(lower + meant(e), args) + " (see "
                + called.getCommandSpec().qualifiedName() + " --help)");
        return called.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String meant(ParameterException e) {
        List<String> near = e instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
        return near.isEmpty() ? "" : "; did you mean " + near.get(0) + "?";
    }

    private int failed(Exception e, CommandLine called, CommandLine.ParseResult parsed) {
        Failure failure = Failure.of(e);
        String[] args = parsed.originalArgs().toArray(String[]::new);
        console.sayWithLines(withoutSecrets(String.valueOf(failure.getMessage()), args));
        if (wantsTraces(parsed)) {
            e.printStackTrace(console.err());
        }
        return switch (called.getCommandName()) {
            // Lower codes belong to the command that they run.
            case "run", "register" -> Math.max(ExitCode.RUN_FAILED, failure.exitCode());
            // It has three codes only, and a failure is more than a warning.
            case "doctor" -> ExitCode.ERRORS;
            default -> failure.exitCode();
        };
    }
}
