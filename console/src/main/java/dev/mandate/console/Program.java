package dev.mandate.console;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code mandate} with its commands: runs the one that was called, and turns bad input and failures into one sentence
 * and an exit code. Thread-safe.
 */
public final class Program {
    private final List<Entry> entries;
    private final List<String> names;
    private final Factory factory;

    /** A command: the word that calls it, and the class whose {@link Command} annotation tells what it does. */
    public record Entry(String name, Class<?> type) {}

    /** Creates a command. */
    @FunctionalInterface
    public interface Factory {
        /**
         * The command {@code name}, which prints to {@code console}. If its {@linkplain
         * CommandLine#setExitCodeExceptionMapper mapper} is set, that gives the exit code of a failure.
         */
        CommandLine create(String name, Console console, Map<String, String> environment);
    }

    /** A program with these commands, listed in this order; {@code factory} creates only what is called. */
    public Program(List<Entry> entries, Factory factory) {
        this.entries = List.copyOf(entries);
        this.names = entries.stream().map(Entry::name).toList();
        this.factory = factory;
    }

    /** Runs the command that {@code args} name, on the console of this process, and exits with its code. */
    public void run(String[] args) {
        SilentLibraries.install();
        String[] exact = Arguments.exact(args);
        System.exit(execute(exact, Console.ofProcess(System.getenv()), System.getenv()));
    }

    /** Runs the command that {@code args} name; returns its exit code. */
    public int execute(String[] args, Console console, Map<String, String> environment) {
        int code = call(args, console, environment);
        String lost = console.outFailure();
        if (lost == null) {
            return code;
        }
        console.say("standard output could not be written (" + lost + "); its output is lost");
        return code == ExitCode.OK ? ExitCode.UNEXPECTED : code;
    }

    private int call(String[] given, Console console, Map<String, String> environment) {
        String[] args = given;
        if (args.length > 0 && args[0].equals("help")) {
            // As in many other tools; without a name, the list of commands.
            args = args.length == 1 ? new String[] {"--help"} : new String[] {args[1], "--help"};
        }
        if (args.length > 0 && !args[0].startsWith("-") && !names.contains(args[0])) {
            console.say(StoreAddress.masked("there is no command '" + args[0] + "'", args) + "; the commands are "
                    + String.join(", ", names));
            return ExitCode.BAD_INPUT;
        }
        CommandLine line;
        // Only the command that is called, if that is clear: each takes time to inspect.
        if (args.length > 0 && names.contains(args[0])) {
            line = commandLine(List.of(args[0]), console, environment);
        } else if (args.length <= 1) {
            line = set(list(), console);
        } else {
            line = commandLine(names, console, environment);
        }
        return line.execute(args);
    }

    /** The commands as the help lists them. They can't be called. */
    private CommandLine list() {
        CommandLine line = new CommandLine(new MandateCommand());
        for (Entry entry : entries) {
            CommandSpec spec = CommandSpec.create();
            spec.usageMessage().header(entry.type().getAnnotation(Command.class).header());
            line.addSubcommand(entry.name(), spec);
        }
        return line;
    }

    /** All commands with their options, to compare with the documentation. */
    public CommandLine model() {
        Console nowhere = Console.to(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        return commandLine(names, nowhere, Map.of());
    }

    private CommandLine commandLine(List<String> commands, Console console, Map<String, String> environment) {
        CommandLine line = new CommandLine(new MandateCommand());
        commands.forEach(name -> line.addSubcommand(name, factory.create(name, console, environment)));
        return set(line, console);
    }

    private static CommandLine set(CommandLine line, Console console) {
        ErrorReport errors = new ErrorReport(console);
        return line.setExpandAtFiles(false)
                .setColorScheme(Help.defaultColorScheme(console.outColoured() ? Help.Ansi.ON : Help.Ansi.OFF))
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(100)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setExecutionStrategy(Program::run)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors);
    }

    private static int run(CommandLine.ParseResult parsed) {
        if (ErrorReport.wantsTraces(parsed)) {
            System.setProperty(Log.PROPERTY, "DEBUG");
        }
        return new CommandLine.RunLast().execute(parsed);
    }
}
