package dev.mandate.console;

import picocli.CommandLine.Option;

/** The options of every command. */
public final class CommonOptions {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Option(names = "--debug", description = "Show stack traces and the library's log.")
    private boolean debug;

    /** Whether {@code --debug} was given. */
    public boolean debug() {
        return debug;
    }
}
