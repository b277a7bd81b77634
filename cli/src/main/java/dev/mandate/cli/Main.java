package dev.mandate.cli;

import dev.mandate.cli.bench.BenchCommand;
import dev.mandate.cli.demo.DemoCommand;
import dev.mandate.cli.run.RunCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Starts the command line. */
public final class Main {
    private static final List<String> COMMANDS =
            List.of("run", "observe", "status", "evict", "explain", "demo", "bench");

    private final Console console;
    private final Map<String, String> environment;
    private final boolean debug;

    private Main(Console console, Map<String, String> environment, boolean debug) {
        this.console = console;
        this.environment = environment;
        this.debug = debug;
    }

    private CommandLine command(String name) {
        return switch (name) {
            // What follows the command's name are its own arguments, whatever they look like.
            case "run" -> new CommandLine(new RunCommand(console, environment)).setStopAtPositional(true);
            case "observe" -> new CommandLine(new ObserveCommand(console, environment));
            case "status" -> new CommandLine(new StatusCommand(console, environment));
            case "evict" -> new CommandLine(new EvictCommand(console, environment));
            case "demo" -> new CommandLine(new DemoCommand(console, environment));
            case "bench" -> new CommandLine(new BenchCommand(console, environment));
            case "explain" -> new CommandLine(new ExplainCommand(console, environment));
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Runs the command that {@code args} name, and ends the process with its exit code. */
    public static void main(String[] args) {
        String[] exact = Arguments.exact(args);
        System.exit(execute(exact, Console.ofProcess(System.getenv()), System.getenv()));
    }

    /** Runs the command that {@code args} name; its exit code. */
    static int execute(String[] args, Console console, Map<String, String> environment) {
        boolean debug = Arrays.asList(args).contains("--debug");
        if (debug) {
            System.setProperty(Log.PROPERTY, "DEBUG");
        }
        return new Main(console, environment, debug).execute(args);
    }

    private int execute(String[] args) {
        if (args.length > 0 && !args[0].startsWith("-") && !COMMANDS.contains(args[0])) {
            console.say("there is no command '" + args[0] + "'; the commands are " + String.join(", ", COMMANDS));
            return ExitCode.BAD_INPUT;
        }
        CommandLine line = new CommandLine(new MandateCommand());
        // Only the command that is called is built, unless all are to be listed: each costs time to look at.
        List<String> wanted = args.length > 0 && COMMANDS.contains(args[0]) ? List.of(args[0]) : COMMANDS;
        wanted.forEach(name -> line.addSubcommand(name, command(name)));
        line.setExpandAtFiles(false)
                .setColorScheme(Help.defaultColorScheme(console.outColoured() ? Help.Ansi.ON : Help.Ansi.OFF))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler(this::wronglyCalled)
                .setExecutionExceptionHandler(this::failed);
        return line.execute(args);
    }

    private int wronglyCalled(ParameterException e, String[] args) {
        CommandLine called = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            console.say("one argument too many: '" + unmatched.getUnmatched().get(0) + "' (see "
                    + called.getCommandSpec().qualifiedName() + " --help)");
            return called.getCommandSpec().exitCodeOnInvalidInput();
        }
        String said = String.valueOf(e.getMessage())
                .lines()
                .reduce((a, b) -> a + "; " + b)
                .orElse("");
        console.say(said + " (see " + called.getCommandSpec().qualifiedName() + " --help)");
        return called.getCommandSpec().exitCodeOnInvalidInput();
    }

    private int failed(Exception e, CommandLine called, CommandLine.ParseResult parsed) {
        Failure failure = Failure.of(e);
        console.say(String.valueOf(failure.getMessage()));
        if (debug) {
            e.printStackTrace(console.err());
        }
        // The codes of run are the command's, but for three.
        return called.getCommandName().equals("run") && failure.exitCode() < ExitCode.RUN_FAILED
                ? ExitCode.RUN_FAILED
                : failure.exitCode();
    }
}
