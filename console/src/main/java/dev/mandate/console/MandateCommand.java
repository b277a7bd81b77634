package dev.mandate.console;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mandate} without a command: shows its help. */
@Command(
        name = "mandate",
        header = "Leader election: one of many processes is in charge.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = MandateCommand.Version.class,
        description = "%nEvery command has its own help: mandate COMMAND --help, or mandate help COMMAND",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nEnvironment:%n",
        footer = {
            "  MANDATE_STORE       URL of the store; may hold a password",
            "  MANDATE_STORE_FILE  a file whose first line is the URL of the store",
            "  XDG_DATA_HOME       holds mandate/mandate.db, the store where none is named;",
            "                      default: ~/.local/share",
            "  NO_COLOR            no colours, if set to anything",
            "",
            "Exit code: 0 done, 1 unexpected, 2 bad input, 3 the store did not answer,",
            "4 the store has to be set up; run, register and doctor have their own."
        })
final class MandateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    private boolean version;

    @Option(names = "--debug", hidden = true)
    private boolean debug;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.BAD_INPUT;
    }

    /** Reads the version from the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = MandateCommand.class.getPackage().getImplementationVersion();
            return new String[] {"mandate " + (version == null ? "(not packaged)" : version)};
        }
    }
}
