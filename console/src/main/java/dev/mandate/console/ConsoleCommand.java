package dev.mandate.console;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/** A command: where it prints, its environment, and the options that every command has. */
public abstract class ConsoleCommand implements Callable<Integer> {
    protected final Console console;
    protected final Map<String, String> environment;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    /** Read by {@link Program}. */
    @Option(names = "--debug", description = "Show stack traces and the library's log.")
    private boolean debug;

    protected ConsoleCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }
}
